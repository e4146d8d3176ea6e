// The search dialog. Results are a list of links; what the index says is put in as text, never as HTML.
import { pagefind, type Hit, type Part, type Result } from "./pagefind";

const MOST = 10;
const PARTS = 3;
const WAIT = 120;

interface Parts {
  readonly dialog: HTMLDialogElement;
  readonly input: HTMLInputElement;
  readonly status: HTMLElement;
  readonly list: HTMLOListElement;
  readonly more: HTMLButtonElement;
}

let parts: Parts | undefined;
let folder: URL;
let root: URL;
let turn = 0;
let results: readonly Result[] = [];
let shown = 0;

/** Open the dialog; `from` is the header's button, which knows where the index and the lists are. */
export function show(from: HTMLElement): void {
  folder = new URL(from.dataset["search"] ?? "search/", location.href);
  root = new URL("../", folder);
  parts ??= make(from.dataset["lists"] ?? root.href);
  if (parts.dialog.open) return;
  parts.dialog.showModal();
  parts.input.select();
  void pagefind(folder, root).catch(failed);
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K, css = "", text = "", attributes: Readonly<Record<string, string>> = {},
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (css) made.className = css;
  if (text) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function make(lists: string): Parts {
  const dialog = element("dialog", "rl-search", "", { "aria-label": "Search" });
  const form = element("form", "rl-search-form", "", { role: "search" });
  const input = element("input", "", "", {
    type: "search", "aria-label": "Search for a name, an id, a number or a word", autocomplete: "off", spellcheck: "false",
    placeholder: "A name, an id, a number, a word", maxlength: "200", enterkeyhint: "search",
  });
  const close = element("button", "rl-search-close", "Close", { type: "button" });
  const status = element("p", "rl-search-status", "", { role: "status" });
  const list = element("ol", "rl-search-results", "", { "aria-label": "Results" });
  const more = element("button", "rl-search-more", "More results", { type: "button" });
  more.hidden = true;
  const foot = element("p", "rl-search-foot");
  foot.append("Or go through ", element("a", "", "the lists", { href: lists }), ". Arrow keys move, Enter opens, Esc closes.");
  form.append(input, close);
  dialog.append(form, status, list, more, foot);
  document.body.append(dialog);

  let timer = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void find(), WAIT);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    void find().then(() => list.querySelector("a")?.click());
  });
  close.addEventListener("click", () => dialog.close());
  more.addEventListener("click", () => {
    const before = list.children.length;
    void fill(turn).then(() => list.children[before]?.querySelector("a")?.focus());
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // the backdrop
  });
  list.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("a")) dialog.close();
  });
  dialog.addEventListener("keydown", move);
  return { dialog, input, status, list, more };
}

/** Up and down go through the field and the links. */
function move(event: KeyboardEvent): void {
  if (!parts || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
  const stops: HTMLElement[] = [parts.input, ...parts.list.querySelectorAll("a")];
  const here = stops.indexOf(document.activeElement as HTMLElement);
  if (here < 0) return;
  const next = stops[here + (event.key === "ArrowDown" ? 1 : -1)];
  event.preventDefault();
  next?.focus();
}

function failed(): void {
  if (parts) parts.status.textContent = "The search index could not be loaded. The lists below hold every record.";
}

/** Numerals are found with and without the marks that group their digits. */
function plain(words: string): string {
  return words.replace(/(\d)[,\u2009\u202f\u00a0](?=\d{3}(?!\d))/g, "$1").trim();
}

async function find(): Promise<void> {
  if (!parts) return;
  const mine = ++turn;
  const words = plain(parts.input.value);
  if (!words) {
    results = [];
    parts.list.replaceChildren();
    parts.status.textContent = "";
    parts.more.hidden = true;
    return;
  }
  try {
    const index = await pagefind(folder, root);
    const found = (await index.search(words)).results;
    if (mine !== turn) return;
    results = found;
    shown = 0;
    await fill(mine, true);
    if (mine !== turn) return;
    const count = found.length === 1 ? "1 page" : `${found.length.toLocaleString("en")} pages`;
    parts.status.textContent = found.length ? `${count} for “${words}”` : `Nothing for “${words}”`;
  } catch {
    if (mine === turn) failed();
  }
}

async function fill(mine: number, anew = false): Promise<void> {
  const hits = await Promise.all(results.slice(shown, shown + MOST).map((result) => result.data()));
  if (!parts || mine !== turn) return;
  const lines = hits.map(line);
  if (anew) parts.list.replaceChildren(...lines);
  else parts.list.append(...lines);
  shown += hits.length;
  parts.more.hidden = shown >= results.length;
}

function line(hit: Hit): HTMLLIElement {
  const item = element("li");
  const link = element("a", "", "", { href: hit.url });
  link.append(element("span", "rl-search-title", hit.meta["title"] ?? hit.url));
  if (hit.meta["kind"]) link.append(" ", element("span", "rl-search-kind", hit.meta["kind"]));
  item.append(link);
  const own = hit.sub_results.filter((part) => part.url !== hit.url).sort((a, b) => b.locations.length - a.locations.length);
  if (hit.excerpt) item.append(excerpt(own.length ? best(hit, own) : hit.excerpt));
  if (own.length) {
    const sections = element("ul");
    for (const part of own.slice(0, PARTS)) {
      const inner = element("li");
      inner.append(element("a", "", part.title, { href: part.url }));
      sections.append(inner);
    }
    item.append(sections);
  }
  return item;
}

/** The excerpt of the section that holds the words most often, or the page's own. */
function best(hit: Hit, own: readonly Part[]): string {
  return own[0]?.excerpt ?? hit.excerpt;
}

const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'", "#x27": "'", nbsp: "\u00a0" };

/** An excerpt as text, with the words that were found marked. */
function excerpt(html: string): HTMLParagraphElement {
  const line = element("p");
  html.split(/<\/?mark>/).forEach((piece, place) => {
    const text = piece.replace(/&(lt|gt|amp|quot|nbsp|#39|#x27);/g, (_, name: string) => NAMED[name] ?? "");
    line.append(place % 2 ? element("mark", "", text) : text);
  });
  return line;
}
