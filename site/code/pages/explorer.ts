// The explorer: rooflines of up to four accelerators and the operators of a model, by the program of the model.
import { computes, hardware, quantity, type Accelerator, type Catalogue, type Stated } from "../scenario/hardware";
import * as print from "../scenario/print";
import { scenario } from "../scenario/outcome";
import { grouped } from "../scenario/setting";
import type { Phase, Tape } from "../scenario/tape";
import { attainable, drawing, type Line, type Operator, type Shape } from "../tools/chart";
import { box, choice, csvButton, data, el, failed, figure, keep, link, permalink, query, th } from "../tools/dom";

const LETTERS = ["a", "b", "c", "d"] as const;
const FORMATS = ["weights", "cache", "compute"] as const;
/** Powers of two at the ends of the sliders. */
const SLIDERS = { batch: [0, 12], context: [6, 20] } as const;
type Slider = keyof typeof SLIDERS;

interface State {
  model: string;
  phase: Phase;
  batch: number;
  context: number;
  ids: string[];
  weights: string;
  cache: string;
  compute: string;
}

/** An accelerator of the choice: its roof, or null where its record lacks what a roof takes. */
interface Roof {
  accelerator: Accelerator;
  line: Line | null;
}

const place = document.getElementById("explorer");
if (place?.dataset.hardware) start(place).catch((error: unknown) => failed(place, error));

async function start(place: HTMLElement): Promise<void> {
  const catalogue = await data<Catalogue>(place.dataset.hardware!);
  const usual = new URLSearchParams(place.dataset.usual ?? "");
  const asked = query();
  const text = (name: string): string => asked.get(name) ?? usual.get(name) ?? "";
  const known = (list: { id: string }[], id: string): string => (list.some((one) => one.id === id) ? id : "");
  const from = LETTERS.some((letter) => asked.has(letter)) ? asked : usual;
  const ids = LETTERS.map((letter) => known(catalogue.accelerators, from.get(letter) ?? "")).filter((id) => id !== "");
  const format = (name: string): string => known(catalogue.formats, text(name)) || "bf16";
  const model = known(catalogue.models, text("model")) || catalogue.models[0]?.id;
  if (!ids.length && catalogue.accelerators[0]) ids.push(catalogue.accelerators[0].id);
  if (!model || !ids.length) throw new Error("there is no model or no accelerator yet");
  const state: State = {
    model, ids: [...new Set(ids)], phase: text("phase") === "prefill" ? "prefill" : "decode",
    batch: slid("batch", text("batch")), context: slid("context", text("context")),
    weights: format("weights"), cache: format("cache"), compute: format("compute"),
  };
  await new Explorer(place, catalogue, state).begin();
}

/** A number of the address at the nearest place of its slider. */
function slid(name: Slider, text: string): number {
  const [low, high] = SLIDERS[name];
  const number = Number(text);
  return 2 ** Math.min(high, Math.max(low, number >= 1 ? Math.round(Math.log2(number)) : low));
}

class Explorer {
  private readonly form = el("form", { class: "tool-form", onsubmit: (event) => event.preventDefault() });
  private readonly results = el("div", { class: "results" });
  private latest = 0;

  constructor(
    private readonly place: HTMLElement,
    private readonly catalogue: Catalogue,
    private readonly state: State,
  ) {}

  async begin(): Promise<void> {
    this.fill();
    // The drawing that came with the page stays until there is another.
    await this.update();
    this.place.replaceChildren(this.form, this.results);
  }

  private fill(focus = ""): void {
    const { catalogue, state } = this;
    const set = (change: Partial<State>, rebuilt = ""): void => {
      Object.assign(state, change);
      if (rebuilt) this.fill(rebuilt);
      this.write();
      void this.update();
    };
    const phases = [{ id: "decode", name: "decode" }, { id: "prefill", name: "prefill" }];
    const chosen = LETTERS.slice(0, Math.min(LETTERS.length, state.ids.length + 1)).map((letter, index) => {
      const id = state.ids[index] ?? "";
      const free = catalogue.accelerators.filter((one) => one.id === id || !state.ids.includes(one.id));
      const none = index || !id ? [{ id: "", name: "none" }] : [];
      const made = choice(`Accelerator ${index + 1}`, [...none, ...free], id, (to) => {
        const ids = [...state.ids];
        ids[index] = to;
        set({ ids: ids.filter((one) => one !== "") }, letter);
      });
      made.querySelector("select")!.dataset.focus = letter;
      return made;
    });
    const format = (name: (typeof FORMATS)[number], label: string, list: { id: string; name: string }[]): HTMLElement =>
      choice(label, list, state[name], (id) => set({ [name]: id }));
    this.form.replaceChildren(
      el("div", { class: "fields" },
        choice("Model", catalogue.models, state.model, (model) => set({ model })),
        choice("Phase", phases, state.phase, (phase) => set({ phase: phase as Phase })),
        this.slider("batch", "Batch", "sequences", set),
        this.slider("context", "Context", "tokens", set)),
      el("div", { class: "fields" }, ...chosen),
      el("div", { class: "fields" },
        format("compute", "Matrix peaks in", this.peaks()),
        format("weights", "Weights in", catalogue.formats),
        format("cache", "Cache in", catalogue.formats)),
    );
    if (focus) this.form.querySelector<HTMLElement>(`[data-focus="${focus}"]`)?.focus();
  }

  /** The formats in which any of the chosen has a dense peak, and the one that is set. */
  private peaks(): { id: string; name: string }[] {
    const offered = new Set(this.chosen().flatMap((one) => computes(this.catalogue, one).map((format) => format.id)));
    return this.catalogue.formats.filter((format) => offered.has(format.id) || format.id === this.state.compute);
  }

  private slider(name: Slider, label: string, unit: string, set: (change: Partial<State>) => void): HTMLElement {
    const [low, high] = SLIDERS[name];
    const said = (): string => `${grouped(this.state[name])} ${unit}`;
    const output = el("output", { class: "small" }, said());
    const input = el("input", {
      type: "range", min: low, max: high, step: 1, name, value: Math.log2(this.state[name]), "aria-label": label,
      "aria-valuetext": said(),
      oninput: () => {
        set({ [name]: 2 ** Number(input.value) });
        output.textContent = said();
        input.setAttribute("aria-valuetext", said());
      },
    });
    return el("label", { class: "field" }, el("span", { class: "field-name" }, label, " ", output), input);
  }

  private chosen(): Accelerator[] {
    return this.state.ids.map((id) => this.catalogue.accelerators.find((one) => one.id === id)!);
  }

  private write(): void {
    const { ids, ...rest } = this.state;
    const letters = Object.fromEntries(ids.map((id, index) => [LETTERS[index]!, id]));
    const formats = Object.fromEntries(FORMATS.map((name) => [name, rest[name] === "bf16" ? null : rest[name]]));
    keep({ model: rest.model, phase: rest.phase === "decode" ? null : rest.phase, batch: rest.batch, context: rest.context, ...letters, ...formats });
  }

  private async update(): Promise<void> {
    const turn = ++this.latest;
    try {
      const tape = await data<Tape>(`${this.place.dataset.models}${this.state.model}.json`);
      if (turn !== this.latest) return;
      this.results.replaceChildren(...this.shown(tape));
    } catch (error) {
      if (turn === this.latest) failed(this.results, error);
    }
  }

  /** The operators that both compute and move something, in the order of the work; and those that cannot be placed. */
  private operators(tape: Tape, on: Accelerator): { found: Operator[]; lost: string[] } {
    const { phase, batch, context, weights, cache, compute } = this.state;
    const formats = { weights, experts: weights, activations: "bf16", cache, compute };
    const one = { phase, batch, context, count: 1, tensor: 1, pipeline: 1, expert: 1, data: 1, reserve: 0 };
    const found: Operator[] = [];
    const lost: string[] = [];
    for (const part of scenario(tape, one, hardware(this.catalogue, on, formats)).parts) {
      const { flops, bytes } = part.cells;
      const name = part.class.split("/")[1]!;
      if (flops === null || bytes === null) lost.push(name);
      else if (flops && bytes) found.push({ number: found.length + 1, name, intensity: flops / bytes, vector: part.path === "vector" });
    }
    return { found, lost };
  }

  private roofs(): Roof[] {
    return this.chosen().map((accelerator) => {
      const value = (name: string): number | null => accelerator.values[name]?.[0] ?? null;
      const [bandwidth, peak] = [value("memory.bandwidth"), value(quantity("peak", this.state.compute))];
      const line = bandwidth && peak ? { name: accelerator.name, bandwidth, peak, vector: value("peak.fp32_vector") } : null;
      return { accelerator, line };
    });
  }

  private shown(tape: Tape): Node[] {
    const { state } = this;
    const roofs = this.roofs();
    const { found, lost } = this.operators(tape, roofs[0]!.accelerator);
    const lines = roofs.map((roof) => roof.line).filter((line) => line !== null);
    const model = this.catalogue.models.find((one) => one.id === state.model)!;
    const notes = roofs.filter((roof) => !roof.line).map(({ accelerator }) => {
      const known = computes(this.catalogue, accelerator).map((format) => format.id).join(", ");
      return `${accelerator.name} has no known dense peak for ${state.compute} and is not drawn; it computes in ${known || "nothing known"}.`;
    });
    if (lost.length) notes.push(`Operations or bytes are unknown, so not drawn: ${lost.join(", ")}.`);
    const work = `${grouped(state.batch)} sequence${state.batch === 1 ? "" : "s"}, ${grouped(state.context)} tokens of context`;
    const title = `Operators of ${model.name} on the rooflines of ${lines.map((line) => line.name).join(", ")}`;
    const told = found.map((one) => `${one.number} ${one.name}: ${print.significant(one.intensity)} operations per byte`).join("; ");
    const caption = el("figcaption", {}, link(`models/${model.id}/`, model.name), ` in ${state.phase}: ${work}, activations in bf16, dense peaks in ${state.compute}. `, el("code", {}, this.command(roofs[0]!.accelerator)), " prints the operations and bytes.");
    return [
      lines.length
        ? el("figure", { class: "drawing wide" }, box("Roofline drawing", svg(drawing(lines, found, "explorer-live", title, told))), caption)
        : el("p", { role: "alert" }, "None of these accelerators can be drawn."),
      ...notes.map((text) => el("p", { class: "open" }, text)),
      el("p", { class: "sr", role: "status" }, `${found.length} operators on ${lines.length} rooflines; ${work}.`),
      this.table(found, roofs),
      this.sources(roofs),
      el("div", { class: "actions" }, csvButton(`roofline-${state.model}.csv`, () => this.csv(found, roofs)), permalink()),
    ];
  }

  private command(on: Accelerator): string {
    const { model, phase, batch, context, weights, cache, compute } = this.state;
    const words = [`ridgeline scenario ${model} ${on.id}`, phase === "decode" ? "" : `--phase ${phase}`, `--context ${context}`];
    if (batch !== 1) words.push(`--batch ${batch}`);
    for (const [name, format] of Object.entries({ weights, cache, compute })) if (format !== "bf16") words.push(`--${name} ${format}`);
    return words.filter((word) => word).join(" ");
  }

  private table(found: Operator[], roofs: Roof[]): HTMLElement {
    const heads = roofs.map(({ accelerator }) => th("col", { class: "n" }, link(`accelerators/${accelerator.id}/`, accelerator.name)));
    const cell = (line: Line | null, one: Operator): HTMLElement => {
      const rate = line && attainable(line, one);
      if (!line || rate === null) return el("td", { class: "n" }, el("span", { class: "unknown" }, "unknown"));
      return el("td", { class: "n" }, tera(rate), " ", el("span", { class: "small" }, boundBy(line, one)));
    };
    return box("Data of the drawing", el("table", { class: "rl" },
      el("caption", {}, "The same in numbers: what each operator can attain at most"),
      el("thead", {}, el("tr", {}, th("col", { class: "n" }, "No."), th("col", {}, "Operator"), th("col", {}, "Units"), th("col", { class: "n" }, "Intensity, FLOP/B"), ...heads)),
      el("tbody", {}, ...found.map((one) => el("tr", {},
        el("td", { class: "n" }, String(one.number)), th("row", {}, link(`classes/${one.name}/`, one.name)),
        el("td", {}, one.vector ? "vector" : "matrix"), el("td", { class: "n" }, print.plain(print.significant(one.intensity))),
        ...roofs.map((roof) => cell(roof.line, one)))))));
  }

  /** What the roofs are made of, each number with its place. */
  private sources(roofs: Roof[]): HTMLElement {
    const { compute } = this.state;
    const rows: [string, string][] = [
      ["Bandwidth of the device memory", "memory.bandwidth"], [`Dense peak in ${compute}, matrix units`, quantity("peak", compute)],
      ["Dense peak in fp32, vector units", "peak.fp32_vector"],
    ];
    const cell = (stated: Stated | undefined): HTMLElement =>
      el("td", { class: "n" }, stated ? figure(stated[1], stated[2], stated[3]) : el("span", { class: "unknown" }, "unknown"));
    return box("The roofs", el("table", { class: "rl" },
      el("caption", {}, "What the roofs are made of"),
      el("thead", {}, el("tr", {}, th("col", {}, "Value"), ...roofs.map(({ accelerator }) => th("col", { class: "n" }, accelerator.name)))),
      el("tbody", {}, ...rows.map(([label, name]) => el("tr", {}, th("row", {}, label), ...roofs.map(({ accelerator }) => cell(accelerator.values[name])))))));
  }

  private csv(found: Operator[], roofs: Roof[]): string[][] {
    const cells = ({ line }: Roof, one: Operator): string[] => {
      const rate = line && attainable(line, one);
      return line && rate !== null ? [String(rate), boundBy(line, one)] : ["unknown", ""];
    };
    return [
      ["number", "operator", "units", "operations per byte", ...roofs.flatMap(({ accelerator: { id } }) => [`${id} FLOP/s at most`, `${id} bound by`])],
      ...found.map((one) => [String(one.number), one.name, one.vector ? "vector" : "matrix", String(one.intensity), ...roofs.flatMap((roof) => cells(roof, one))]),
    ];
  }
}

const tera = (rate: number): string => `${print.plain(print.significant(rate / 1e12))} TFLOP/s`;
const boundBy = (line: Line, one: Operator): string => (attainable(line, one) === one.intensity * line.bandwidth ? "memory" : "compute");

function svg([tag, attributes, ...inside]: Shape): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...inside.map((one) => (typeof one === "string" ? one : svg(one))));
  return made;
}
