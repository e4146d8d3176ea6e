// The page of a derivation: its inputs as fields, and what follows from them. Nothing is shown before it can work.
import { el, keep, permalink, query } from "../tools/dom";
import { values, type Program } from "../program";

interface Printed {
  slot: number;
  unit: string;
  factor: number;
}
interface Input {
  name: string;
  label: string;
  value: number;
  text: string;
  unit: string;
  factor: number;
  href?: string;
}
export interface Figure extends Program {
  inputs: Input[];
  result: Printed & { value: number };
}

/** What a figure comes to; the inputs are those of the records where none are given. */
export const compute = (figure: Figure, inputs = figure.inputs.map((input) => input.value)): number =>
  values(figure, inputs)[figure.result.slot]!;

const DIGITS = 6;

/** A value in a unit, to six significant digits; a whole number in full. */
export function printed(value: number, unit: string, factor: number): string {
  const whole = factor === 1 && Number.isSafeInteger(value);
  const number = whole ? value : Number((value / factor).toPrecision(DIGITS));
  const size = Math.abs(number);
  const digits = whole ? 21 : DIGITS;
  const text = size && (size >= 1e15 || size < 1e-5) ? number.toExponential() : number.toLocaleString("en-US", { maximumSignificantDigits: digits });
  return unit ? `${text} ${unit}` : text;
}

/** The number that somebody typed, thousands grouped or not; NaN for anything else. */
export function typed(text: string): number {
  const plain = text.trim().replace(/(?<=\d)[,_\u2009\u202f](?=\d{3}(?!\d))/g, "");
  return /^[-−+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain.replace("−", "-")) : NaN;
}

for (const id of ["cite-text", "cite-bibtex", "cite-csl"]) copies(document.getElementById(id));

/** A button that copies a citation. */
function copies(cite: HTMLElement | null): void {
  if (cite === null) return;
  const button = el("button", { type: "button", class: "md-button tool-button" }, "Copy");
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(cite.textContent ?? "").then(
      () => (button.textContent = "Copied"),
      () => (button.textContent = "Select and copy it by hand"),
    );
  });
  (cite.closest("pre") ?? cite).after(button);
}

const place = document.getElementById("live");
const data = document.getElementById("program");
if (place !== null && data !== null) build(place, JSON.parse(data.textContent ?? "{}") as Figure);

function build(place: HTMLElement, figure: Figure): void {
  const out = el("output", { class: "number", for: figure.inputs.map((_, i) => `input-${i}`).join(" ") });
  const said = el("p", { role: "status", class: "live-said" });
  const rows = figure.inputs.map((input, number) => row(input, number, update));
  const reset = el("button", { type: "button", class: "md-button tool-button" }, "Back to the recorded values");
  const start = query();
  figure.inputs.forEach((input, i) => {
    const given = start.get(input.name);
    if (given !== null) rows[i]!.field.value = given;
  });
  reset.addEventListener("click", () => {
    figure.inputs.forEach((input, i) => (rows[i]!.field.value = input.text));
    update();
  });
  const table = el(
    "table",
    { class: "rl live-inputs" },
    el("caption", {}, "Change an input, and see what follows"),
    el("thead", {}, el("tr", {}, ...["Input", "Value", "Changed"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...rows.map((made) => made.line)),
  );
  place.replaceChildren(el("p", { class: "result" }, out, " ", el("span", { class: "live-kind" })), said, el("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Inputs" }, table), el("p", {}, reset, " ", permalink()));
  update();

  function update(): void {
    const state: Record<string, string | null> = {};
    let bad = 0;
    let changed = 0;
    const inputs = figure.inputs.map((input, i) => {
      const { field, note } = rows[i]!;
      const own = field.value.trim() === input.text;
      const number = own ? input.value : typed(field.value) * input.factor;
      const wrong = !Number.isFinite(number);
      field.setAttribute("aria-invalid", String(wrong));
      note.textContent = wrong ? "not a number" : own ? "" : `changed from ${input.text}${input.unit ? ` ${input.unit}` : ""}`;
      state[input.name] = own ? null : field.value.trim();
      bad += Number(wrong);
      changed += Number(!own);
      return number;
    });
    keep(state);
    reset.disabled = changed === 0;
    document.documentElement.classList.toggle("changed", changed > 0);
    const kind = place.querySelector(".live-kind");
    if (kind !== null) kind.textContent = changed ? "with your inputs" : "with the recorded values";
    const found = bad ? NaN : compute(figure, inputs);
    if (!Number.isFinite(found)) {
      out.textContent = "–";
      said.textContent = bad ? "One of the inputs is not a number." : "These inputs give no finite value.";
      return;
    }
    out.textContent = printed(found, figure.result.unit, figure.result.factor);
    const ratio = found / figure.result.value;
    said.textContent = changed ? `The page’s own value is ${printed(figure.result.value, figure.result.unit, figure.result.factor)}${Number.isFinite(ratio) ? `; yours is ${printed(ratio, "", 1)} times that` : ""}.` : "";
  }
}

function row(input: Input, number: number, update: () => void): { line: HTMLElement; field: HTMLInputElement; note: HTMLElement } {
  const id = `input-${number}`;
  const field = el("input", { id, type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", size: 14, "aria-describedby": `note-${number}` });
  field.value = input.text;
  field.addEventListener("input", update);
  const note = el("span", { id: `note-${number}`, class: "small live-note" });
  const label = el("label", { for: id }, input.label);
  const source = input.href === undefined ? null : el("a", { href: input.href, class: "small" }, "where it is from");
  const line = el("tr", {}, el("th", { scope: "row" }, label, " ", source), el("td", {}, field, input.unit ? ` ${input.unit}` : ""), el("td", {}, note));
  return { line, field, note };
}
