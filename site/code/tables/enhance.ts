// Sorts and filters what stands on the page already. Rows stay in the document; nothing is drawn anew.
import Tablesort from "tablesort";

Tablesort.extend("value", () => false, (a, b) => Number(b || "-Infinity") - Number(a || "-Infinity"));

export function enhance(tables: Iterable<HTMLTableElement>, fields: Iterable<HTMLElement>): void {
  for (const table of tables) {
    sort(table);
    fit(table);
  }
  for (const field of fields) filter(field);
}

/** Headers become buttons. Rows without a value stay last in both directions. */
function sort(table: HTMLTableElement): void {
  const headers = [...(table.tHead?.rows[0]?.cells ?? [])].filter((cell) => cell.dataset["sortMethod"] !== "none");
  const said = document.createElement("p");
  said.className = "sr";
  said.setAttribute("role", "status");
  table.closest(".scroll")?.after(said);
  for (const header of headers) {
    // The button is in the page already, so that nothing moves now; until here it could do nothing.
    const button = header.querySelector("button");
    if (button) button.disabled = false;
    if (header.dataset["sortMethod"] === "value") header.setAttribute("data-sort-reverse", "");
  }
  new Tablesort(table);
  for (const header of headers) header.removeAttribute("tabindex"); // the button has the focus
  table.addEventListener("afterSort", () => {
    const header = headers.find((cell) => cell.hasAttribute("aria-sort"));
    if (!header) return;
    for (const body of table.tBodies) {
      body.append(...[...body.rows].filter((row) => row.cells[header.cellIndex]?.getAttribute("data-sort") === ""));
    }
    said.textContent = `Sorted by ${header.textContent?.trim() ?? ""}, ${header.getAttribute("aria-sort") ?? ""}`;
  });
}

/** A table that fits its place keeps its header at the top of the window, a wider one at the top of its own box. */
function fit(table: HTMLTableElement): void {
  const box = table.closest<HTMLElement>(".scroll");
  if (!box) return;
  const measure = (): void => {
    box.classList.remove("fits", "wide");
    box.classList.add(table.scrollWidth <= box.clientWidth ? "fits" : "wide");
  };
  measure();
  let width = box.clientWidth;
  new ResizeObserver(() => {
    if (box.clientWidth === width) return;
    width = box.clientWidth;
    measure();
  }).observe(box);
}

interface Item {
  readonly element: HTMLElement;
  readonly text: string;
  readonly group: HTMLElement | null;
}

/** Numbers match with and without the marks that group their digits. */
export function normal(text: string): string {
  return text.toLowerCase().normalize("NFKC").replace(/(\d)[,\u0020](?=\d{3}(?!\d))/g, "$1").replace(/\s+/g, " ");
}

/** The field of a set of rows: what is typed there leaves the rows that hold all its words. */
function filter(tools: HTMLElement): void {
  const target = document.getElementById(tools.dataset["filters"] ?? "");
  const input = tools.querySelector("input");
  const output = tools.querySelector("output");
  if (!target || !input || !output) return;
  const noun = tools.dataset["noun"] ?? "rows";
  let items: readonly Item[] | undefined;
  const read = (): readonly Item[] =>
    [...target.querySelectorAll<HTMLElement>("tbody > tr, ul.filterable > li")].map((element) => {
      const group = element.closest<HTMLElement>("section.group");
      const heading = group?.querySelector("h2, h3")?.textContent ?? "";
      return { element, group, text: normal(`${heading} ${element.textContent ?? ""} ${element.dataset["also"] ?? ""}`) };
    });
  const apply = (): void => {
    items ??= read();
    const words = normal(input.value).split(" ").filter(Boolean);
    const groups = new Map<HTMLElement, boolean>();
    let left = 0;
    for (const item of items) {
      const holds = words.every((word) => item.text.includes(word));
      item.element.hidden = !holds;
      left += Number(holds);
      if (item.group) groups.set(item.group, (groups.get(item.group) ?? false) || holds);
    }
    for (const [group, holds] of groups) group.hidden = !holds;
    const all = items.length.toLocaleString("en");
    output.textContent = words.length ? `${left.toLocaleString("en")} of ${all} ${noun}` : `${all} ${noun}`;
    const url = new URL(location.href);
    if (words.length) url.searchParams.set("filter", input.value.trim());
    else url.searchParams.delete("filter");
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  };
  input.value = new URL(location.href).searchParams.get("filter") ?? "";
  let timer = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(apply, 80);
  });
  apply();
}
