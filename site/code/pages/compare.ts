// The page of comparisons: two to six records of a kind, chosen here or in the address.
import { type Cell, type Data, type Row, rows } from "../tools/comparison";
import { box, choice, csvButton, data, el, failed, figure, keep, link, permalink, query, th } from "../tools/dom";

const KINDS = [
  { id: "accelerators", name: "Accelerators" },
  { id: "models", name: "Models" },
  { id: "classes", name: "Workload classes" },
];
const LETTERS = ["a", "b", "c", "d", "e", "f"];
/** What stands there before anyone chooses, as far as it is there. */
const FIRST: Record<string, string[]> = {
  accelerators: ["nvidia-h100-sxm", "nvidia-h200-sxm", "amd-instinct-mi300x"],
  models: ["llama-3.1-70b", "qwen2.5-72b"],
  classes: ["prefill-attention", "decode-attention"],
};

interface State {
  kind: string;
  ids: string[];
  only: boolean;
}

const place = document.getElementById("compare");
if (place) start(place).catch((error: unknown) => failed(place, error));

async function start(place: HTMLElement): Promise<void> {
  const asked = query();
  const kind = KINDS.find((k) => k.id === asked.get("kind"))?.id ?? "accelerators";
  const ids = LETTERS.map((letter) => asked.get(letter)).filter((id) => id !== null);
  await show(place, { kind, ids, only: asked.get("only") === "differing" }, ids.length > 0);
}

// Functions, not constants: they are read before the module has come to its end.
function load(place: HTMLElement, kind: string): Promise<Data> {
  return data<Data>(place.dataset[kind]!);
}

async function show(place: HTMLElement, state: State, write: boolean, focus = ""): Promise<void> {
  const found = await load(place, state.kind);
  const known = new Set(found.records.map((record) => record.id));
  const lost = state.ids.filter((id) => !known.has(id));
  const ids = [...new Set(state.ids)].filter((id) => known.has(id)).slice(0, LETTERS.length);
  for (const id of [...FIRST[state.kind]!, ...known]) {
    if (ids.length < 2 && known.has(id) && !ids.includes(id)) ids.push(id);
  }
  const next: State = { ...state, ids };
  if (write) address(next);
  if (ids.length < 2) {
    place.replaceChildren(el("p", {}, "There are not two of them to compare yet."));
    return;
  }
  const table = rows(found, ids);
  const names = ids.map((id) => found.records.find((record) => record.id === id)!.name);
  place.replaceChildren(
    form(place, next, found),
    ...lost.map((id) => el("p", { role: "alert" }, `There is no record ${id} of this kind: it was left out.`)),
    summary(table, names.length),
    box("Comparison", drawn(table, found.folder, ids, names, next.only)),
  );
  if (focus) place.querySelector<HTMLElement>(`[data-focus="${focus}"]`)?.focus();
}

function address(state: State): void {
  keep({
    kind: state.kind === "accelerators" ? null : state.kind,
    ...Object.fromEntries(state.ids.map((id, index) => [LETTERS[index]!, id])),
    only: state.only ? "differing" : null,
  });
}

function form(place: HTMLElement, state: State, found: Data): HTMLElement {
  const again = (change: Partial<State>, focus: string): void => void show(place, { ...state, ...change }, true, focus);
  const kinds = choice("What to compare", KINDS, state.kind, (kind) => again({ kind, ids: [] }, "kind"));
  mark(kinds, "kind");
  const chosen = state.ids.map((id, index) => {
    const letter = LETTERS[index]!;
    const options = found.records.filter((record) => record.id === id || !state.ids.includes(record.id));
    const made = choice(
      index ? `Beside it (${letter.toUpperCase()})` : "First (A)",
      options,
      id,
      (to) => again({ ids: state.ids.map((other, at) => (at === index ? to : other)) }, letter),
    );
    mark(made, letter);
    if (state.ids.length <= 2) return made;
    const name = found.records.find((record) => record.id === id)!.name;
    const less = state.ids.filter((_, at) => at !== index);
    const out = el("button", { type: "button", class: "tool-remove", "aria-label": `Remove ${name}`, onclick: () => again({ ids: less }, "kind") }, "Remove");
    return el("div", { class: "field-with" }, made, out);
  });
  const more = found.records.find((record) => !state.ids.includes(record.id));
  const add =
    more && state.ids.length < LETTERS.length
      ? el("button", { type: "button", class: "md-button tool-button", onclick: () => again({ ids: [...state.ids, more.id] }, LETTERS[state.ids.length]!) }, "Add another")
      : null;
  const only = el("input", { type: "checkbox", "data-focus": "only", onchange: () => again({ only: only.checked }, "only") });
  only.checked = state.only;
  return el(
    "form",
    { class: "tool-form", onsubmit: (event) => event.preventDefault() },
    el("div", { class: "fields" }, kinds, ...chosen),
    el(
      "div",
      { class: "actions" },
      add,
      el("label", { class: "check" }, only, " Only rows that differ"),
      csvButton(`compare-${state.ids.join("-")}.csv`, () => table(found, state)),
      permalink(),
    ),
  );
}

function mark(field: HTMLElement, name: string): void {
  field.querySelector("select")?.setAttribute("data-focus", name);
}

/** The table as it is shown, without numbers' formats: what is known in base units stands beside what is printed. */
function table(found: Data, state: State): string[][] {
  const shown = rows(found, state.ids).filter((row) => !state.only || row.verdict === "differs");
  const values = (row: Row): string[] => row.cells.flatMap((c) => [c?.text ?? "unknown", c?.value?.toString() ?? ""]);
  return [
    ["section", "field", "verdict", ...state.ids.flatMap((id) => [id, `${id} in base units`])],
    ...shown.map((row) => [row.section, row.name, row.verdict, ...values(row)]),
  ];
}

function summary(table: Row[], many: number): HTMLElement {
  const count = (verdict: Row["verdict"]): number => table.filter((row) => row.verdict === verdict).length;
  return el(
    "p",
    { role: "status" },
    `${table.length} fields of ${many} records: ${count("differs")} differ, ${count("same")} are the same, ` +
      `and of ${count("not all known")} others not all records have a value. Ratios are to the first.`,
  );
}

function drawn(table: Row[], folder: string, ids: string[], names: string[], only: boolean): HTMLElement {
  const shown = table.filter((row) => !only || row.verdict === "differs");
  const heads = ids.map((id, index) => th("col", { class: "n" }, link(`${folder}/${id}/`, names[index]!)));
  const sections = [...new Set(shown.map((row) => row.section))];
  return el(
    "table",
    { class: "rl compare" },
    el("caption", {}, `${names.join(", ")}${only ? ": only what differs" : ""}`),
    el("thead", {}, el("tr", {}, th("col", {}, "Field"), th("col", {}, "Verdict"), ...heads)),
    ...sections.map((section) =>
      el(
        "tbody",
        {},
        el("tr", { class: "section" }, th("colgroup", { colspan: ids.length + 2 }, section)),
        ...shown.filter((row) => row.section === section).map(line),
      ),
    ),
  );
}

function line(row: Row): HTMLElement {
  return el(
    "tr",
    { class: row.verdict === "differs" ? "differs" : null },
    th("row", {}, row.name),
    el("td", { class: "verdict" }, row.verdict),
    ...row.cells.map((cell, index) =>
      el("td", { class: "n" }, value(cell), index && row.ratios[index] ? el("span", { class: "ratio" }, ` ${row.ratios[index]}`) : null),
    ),
  );
}

function value(cell: Cell | null): HTMLElement {
  if (!cell) return el("span", { class: "unknown" }, "unknown");
  const note = cell.note ? el("span", { class: "small" }, ` ${cell.note}`) : null;
  if (cell.status) return el("span", {}, figure(cell.text, cell.status, cell.target), note);
  return el("span", {}, cell.target.includes("#") ? link(cell.target, cell.text) : cell.text, note);
}
