// Rows of a comparison from the data of a kind: the same rows, verdicts and ratios as on the pages of pairs.

/** `[text, value, status, target, note]`, cut short after the last that there is. */
export type Packed = [string, (number | null)?, string?, string?, string?];

export interface Data {
  folder: string;
  fields: [string, string, string][];
  records: { id: string; name: string; of: string; cells: Record<string, Packed> }[];
}

export interface Cell {
  text: string;
  value: number | null;
  status: string;
  target: string;
  note: string;
}

export interface Row {
  key: string;
  section: string;
  name: string;
  verdict: "same" | "differs" | "not all known";
  cells: (Cell | null)[];
  ratios: string[];
}

export function rows(data: Data, ids: string[]): Row[] {
  const chosen = ids.map((id) => data.records.find((record) => record.id === id)!);
  const found: Row[] = [];
  data.fields.forEach(([key, section, name], index) => {
    const cells = chosen.map((record) => cell(data.folder, record.id, key, record.cells[String(index)]));
    if (cells.every((c) => c === null)) return;
    found.push({ key, section, name, verdict: verdict(cells), cells, ratios: cells.map((c) => ratio(c, cells[0]!)) });
  });
  return found;
}

function cell(folder: string, id: string, key: string, packed: Packed | undefined): Cell | null {
  if (!packed) return null;
  const [text, value = null, status = "", target = "", note = ""] = packed;
  return { text, value, status, target: target || usual(folder, id, key, status), note };
}

/** Where a cell leads, by what it is. */
function usual(folder: string, id: string, key: string, status: string): string {
  if (status === "c") return `f/${folder}.${id}.${key}/`;
  return `${folder}/${id}/${status ? `#${key}` : ""}`;
}

function verdict(cells: (Cell | null)[]): Row["verdict"] {
  const known = new Set(cells.filter((c) => c !== null).map((c) => c.value ?? c.text));
  if (known.size > 1) return "differs";
  return cells.every((c) => c !== null) ? "same" : "not all known";
}

function ratio(c: Cell | null, first: Cell | null): string {
  if (!c || !first || c.value === null || !first.value || c.value === first.value) return "";
  const share = Number((c.value / first.value).toPrecision(3));
  return share === 1 ? "≈ × 1" : `× ${share.toLocaleString("en-US", { maximumSignificantDigits: 10 })}`;
}
