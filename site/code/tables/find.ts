// Loads what sorts and filters tables, on pages that have such a table.

export function bind(): void {
  const tables = document.querySelectorAll<HTMLTableElement>("table.sortable");
  const fields = document.querySelectorAll<HTMLElement>("[data-filters]");
  if (tables.length || fields.length) void import("./enhance").then((module) => module.enhance(tables, fields));
}
