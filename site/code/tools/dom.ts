// Elements, the page's own address, and downloads: what the pages that compute have in common.

type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;
type Child = Node | string | null | undefined | false;

/** An element with attributes and children; text goes in as text. A function is a listener: `onchange`. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.replace(/^on/, ""), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
  return made;
}

/** The root of the site, from where this code stands: `assets/code/NAME.js`. */
export const ROOT = new URL("../../", import.meta.url);

/** A link to an address of the site. */
export const link = (address: string, ...children: Child[]): HTMLAnchorElement =>
  el("a", { href: new URL(address, ROOT).href }, ...children);

const STATUS: Record<string, string> = { r: "recorded", c: "recomputed", u: "unverified" };

/** A number as all pages print it: a link, with its status in words as well as colour. */
export function figure(text: string, status: string, address: string): HTMLElement {
  const words = STATUS[status] ?? status;
  const made = link(address, text);
  made.className = `fig fig-${words}`;
  if (words !== "unverified") {
    made.append(el("span", { class: "sr" }, ` (${words})`));
    return made;
  }
  return el("span", {}, made, el("span", { class: "mark" }, words));
}

const held = new Map<string, Promise<unknown>>();

/** A JSON file of the site, fetched once. */
export function data<T>(address: string): Promise<T> {
  const url = new URL(address, document.baseURI).href;
  let found = held.get(url);
  if (!found) {
    found = fetch(url).then((response) => {
      if (!response.ok) throw new Error(`${url}: ${response.status}`);
      return response.json() as Promise<unknown>;
    });
    held.set(url, found);
    found.catch(() => held.delete(url));
  }
  return found as Promise<T>;
}

/** What the page's address says. */
export const query = (): URLSearchParams => new URLSearchParams(location.search);

/** Puts the state of the page into its address, so that a reload, a bookmark or a quotation finds it again. */
export function keep(state: Record<string, string | number | null | undefined>): void {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (value !== null && value !== undefined && value !== "") given.set(name, String(value));
  }
  const text = given.toString();
  history.replaceState(null, "", `${location.pathname}${text ? `?${text}` : ""}${location.hash}`);
}

/** A button that hands out a table as a CSV file (RFC 4180). */
export function csvButton(name: string, rows: () => string[][]): HTMLButtonElement {
  return el("button", { type: "button", class: "md-button tool-button", onclick: () => save(name, csv(rows())) }, "Download CSV");
}

export function csv(rows: string[][]): string {
  const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const made = el("a", { href: url, download: name });
  document.body.append(made);
  made.click();
  made.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** A button that copies the page's address with its state. */
export function permalink(): HTMLElement {
  const said = el("span", { class: "said", role: "status" });
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(location.href);
      said.textContent = "copied";
    } catch {
      said.textContent = "the address of this page holds it all";
    }
    setTimeout(() => (said.textContent = ""), 4000);
  };
  return el("span", { class: "permalink" }, el("button", { type: "button", class: "md-button tool-button", onclick: () => void copy() }, "Copy link"), " ", said);
}

export interface Option {
  id: string;
  name: string;
  of?: string;
}

/** A labelled choice; options with a group stand under it. */
export function choice(
  label: string,
  options: Option[],
  chosen: string,
  change: (id: string) => void,
  note = "",
): HTMLLabelElement {
  const select = el("select", { onchange: () => change(select.value) });
  const groups = new Map<string, HTMLElement>();
  for (const option of options) {
    const made = el("option", { value: option.id }, option.name);
    made.selected = option.id === chosen;
    if (option.of === undefined) select.append(made);
    else {
      let group = groups.get(option.of);
      if (!group) {
        group = el("optgroup", { label: option.of });
        groups.set(option.of, group);
      }
      group.append(made);
    }
  }
  select.append(...groups.values());
  return el("label", { class: "field" }, el("span", { class: "field-name" }, label, note && el("span", { class: "small" }, ` ${note}`)), select);
}

/** A table cell or header. */
export const th = (scope: string, attributes: Attributes, ...children: Child[]): HTMLElement =>
  el("th", { scope, ...attributes }, ...children);

/** A box that scrolls sideways, which the keyboard can reach. */
export const box = (label: string, ...children: Child[]): HTMLElement =>
  el("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": label }, ...children);

/** Says what went wrong in place of the tool. */
export function failed(place: HTMLElement, error: unknown): void {
  place.replaceChildren(el("p", { role: "alert" }, `This part of the page could not be loaded: ${String(error)}`));
}
