// The calculator: a scenario recomputed at each change, by the program of its model.
import { computes, hardware, quantity, type Accelerator, type Catalogue, type Formats, type Stated } from "../scenario/hardware";
import { scenario, type Outcome, type Part } from "../scenario/outcome";
import * as print from "../scenario/print";
import { grouped, Impossible, type Setting } from "../scenario/setting";
import type { Column, Phase, Tape } from "../scenario/tape";
import { box, choice, csvButton, data, el, failed, figure, keep, link, permalink, query, th } from "../tools/dom";

const NUMBERS = ["context", "batch", "count", "tensor", "pipeline", "expert", "data", "reserve"] as const;
const FORMATS = ["weights", "experts", "activations", "cache", "compute"] as const;
type NumberName = (typeof NUMBERS)[number];
type FormatName = (typeof FORMATS)[number];

/** What is chosen, as it stands in the address; empty is left to the usual. */
interface State extends Record<NumberName | FormatName, string> {
  model: string;
  on: string;
  phase: Phase;
}

const USUAL: State = {
  model: "llama-3.1-70b", on: "nvidia-h100-sxm", phase: "decode", context: "8192", batch: "64", count: "8", tensor: "",
  pipeline: "1", expert: "1", data: "1", reserve: "0", weights: "bf16", experts: "", activations: "bf16", cache: "bf16", compute: "",
};
const LABELS: Record<NumberName, [string, string]> = {
  context: ["Context", "tokens"],
  batch: ["Batch", "sequences, all together"],
  count: ["Accelerators", "how many"],
  tensor: ["Tensor", "empty: what the count leaves"],
  pipeline: ["Pipeline", "stages"],
  expert: ["Expert", "accelerators that share the experts"],
  data: ["Data", "replicas"],
  reserve: ["Reserve", "GiB of each memory for the runtime"],
};
const FORMAT_LABELS: Record<FormatName, [string, string]> = {
  weights: ["Weights", ""],
  experts: ["Routed experts", ""],
  activations: ["Activations", ""],
  cache: ["Cache", ""],
  compute: ["Matrix units", "dense peak"],
};
const COLUMNS: [Column, string][] = [
  ["flops", "Operations"], ["bytes", "Memory traffic"], ["link_bytes", "Sent by each"],
  ["compute_time", "Compute"], ["memory_time", "Memory"], ["link_time", "Link"],
];
const KINDS: Record<string, string> = {
  resident_weights: "weights", resident_cache: "cache", resident_state: "states", resident_reserve: "reserve",
};

const place = document.getElementById("calculator");
if (place?.dataset.hardware) start(place).catch((error: unknown) => failed(place, error));

async function start(place: HTMLElement): Promise<void> {
  const catalogue = await data<Catalogue>(place.dataset.hardware!);
  const first = { model: catalogue.models[0]?.id, on: catalogue.accelerators[0]?.id };
  if (!first.model || !first.on) throw new Error("there is no model or no accelerator yet");
  const asked = query();
  const state: State = { ...USUAL };
  for (const name of Object.keys(USUAL) as (keyof State)[]) {
    const given = asked.get(name);
    if (given !== null) Object.assign(state, { [name]: given });
  }
  if (!catalogue.models.some((model) => model.id === state.model)) state.model = first.model;
  if (!catalogue.accelerators.some((one) => one.id === state.on)) state.on = first.on;
  if (state.phase !== "prefill") state.phase = "decode";
  new Calculator(place, catalogue, state, asked.size > 0).begin();
}

class Calculator {
  private readonly results = el("div", { class: "results" });
  private readonly compute = el("div", { class: "field-slot" });
  private latest = 0;

  constructor(
    private readonly place: HTMLElement,
    private readonly catalogue: Catalogue,
    private readonly state: State,
    private written: boolean,
  ) {}

  begin(): void {
    const { catalogue, state } = this;
    const phases = [{ id: "decode", name: "decode" }, { id: "prefill", name: "prefill" }];
    this.place.replaceChildren(
      el(
        "form",
        { class: "tool-form", onsubmit: (event) => event.preventDefault() },
        el("div", { class: "fields" },
          choice("Model", catalogue.models, state.model, (id) => this.set("model", id)),
          choice("Accelerator", catalogue.accelerators, state.on, (id) => this.set("on", id)),
          choice("Phase", phases, state.phase, (id) => this.set("phase", id)),
          ...(["context", "batch", "count"] as const).map((name) => this.number(name)),
        ),
        this.folded("Number formats", FORMATS, [
          ...FORMATS.slice(0, 4).map((name) => this.format(name)),
          this.compute,
        ]),
        this.folded("How the accelerators share the work, and the reserve", ["tensor", "pipeline", "expert", "data", "reserve"],
          (["tensor", "pipeline", "expert", "data", "reserve"] as const).map((name) => this.number(name))),
      ),
      this.results,
    );
    this.offerComputes();
    void this.update();
  }

  /** Fields that most readers leave alone: open where one of them is set. */
  private folded(title: string, names: readonly (NumberName | FormatName)[], fields: Node[]): HTMLElement {
    const set = names.some((name) => this.state[name] !== USUAL[name]);
    return el("details", { open: set }, el("summary", {}, title), el("div", { class: "fields" }, ...fields));
  }

  private set(name: keyof State, value: string): void {
    Object.assign(this.state, { [name]: value });
    this.written = true;
    if (name === "on" || name === "activations") this.offerComputes();
    void this.update();
  }

  private number(name: NumberName): HTMLElement {
    const [label, note] = LABELS[name];
    const input = el("input", {
      type: "number", inputmode: "numeric", min: name === "reserve" ? 0 : 1, step: name === "reserve" ? "any" : 1,
      name, value: this.state[name], oninput: () => this.set(name, input.value.trim()),
    });
    return el("label", { class: "field" }, el("span", { class: "field-name" }, label, el("span", { class: "small" }, ` ${note}`)), input);
  }

  private format(name: FormatName): HTMLElement {
    const [label, note] = FORMAT_LABELS[name];
    const first = name === "experts" ? [{ id: "", name: "as the weights" }] : [];
    return choice(label, [...first, ...this.catalogue.formats], this.state[name], (id) => this.set(name, id), note);
  }

  /** The formats that the chosen accelerator computes in. */
  private offerComputes(): void {
    const known = computes(this.catalogue, this.accelerator());
    if (this.state.compute && !known.some((format) => format.id === this.state.compute)) this.state.compute = "";
    const usual = { id: "", name: `as the activations (${this.state.activations})` };
    const [label, note] = FORMAT_LABELS.compute;
    this.compute.replaceChildren(choice(label, [usual, ...known], this.state.compute, (id) => this.set("compute", id), note));
  }

  private accelerator(): Accelerator {
    return this.catalogue.accelerators.find((one) => one.id === this.state.on)!;
  }

  private formats(): Formats {
    const { weights, experts, activations, cache, compute } = this.state;
    return { weights, experts: experts || weights, activations, cache, compute: compute || activations };
  }

  private setting(): Setting {
    const { state } = this;
    const whole = (text: string): number => (text === "" ? NaN : Number(text));
    const reserve = state.reserve === "" ? 0 : Number(state.reserve);
    if (!(reserve >= 0)) throw new Impossible("reserve: a number of GiB, zero or more");
    return {
      phase: state.phase, context: whole(state.context), batch: whole(state.batch), count: whole(state.count),
      tensor: state.tensor === "" ? null : whole(state.tensor), pipeline: whole(state.pipeline), expert: whole(state.expert),
      data: whole(state.data), reserve: reserve * 2 ** 30,
    };
  }

  private async update(): Promise<void> {
    const turn = ++this.latest;
    if (this.written) {
      const changed = Object.entries(this.state).filter(([name, value]) => ["model", "on"].includes(name) || value !== USUAL[name as keyof State]);
      keep(Object.fromEntries(changed));
    }
    try {
      const tape = await data<Tape>(`${this.place.dataset.models}${this.state.model}.json`);
      if (turn !== this.latest) return;
      this.check();
      const outcome = scenario(tape, this.setting(), hardware(this.catalogue, this.accelerator(), this.formats()));
      const open = new Set([...this.results.querySelectorAll<HTMLDetailsElement>("details[open]")].map((one) => one.dataset.what));
      this.results.replaceChildren(...this.shown(outcome, tape));
      for (const one of this.results.querySelectorAll("details")) one.open = open.has(one.dataset.what);
    } catch (error) {
      if (turn !== this.latest) return;
      if (!(error instanceof Impossible)) return failed(this.results, error);
      this.results.replaceChildren(el("p", { class: "impossible", role: "alert" }, `This cannot be: ${error.message}`));
    }
  }

  /** What every bound needs: a peak in the format of the matrix units, and the bandwidth of the memory. */
  private check(): void {
    const { compute } = this.formats();
    const accelerator = this.accelerator();
    if (!accelerator.values[quantity("peak", compute)]) {
      const known = computes(this.catalogue, accelerator).map((format) => format.id);
      throw new Impossible(
        `${accelerator.name} has no dense peak for ${compute}: it computes in ${known.join(", ") || "nothing known"}; choose one for the matrix units`,
      );
    }
    if (!accelerator.values["memory.bandwidth"]) throw new Impossible(`the memory bandwidth of ${accelerator.name} is not known`);
  }

  private shown(outcome: Outcome, tape: Tape): (Node | string)[] {
    return [
      ...this.bounds(outcome),
      this.table(outcome),
      this.memory(outcome),
      this.missing(outcome),
      this.formulas(outcome),
      this.inputs(outcome, tape),
      this.assumptions(outcome),
      el("p", {}, "The same at a prompt: ", el("code", { class: "command" }, this.command())),
      el("div", { class: "actions" }, csvButton(`scenario-${this.state.model}-${this.state.on}.csv`, () => this.csv(outcome)), permalink()),
    ];
  }

  private bounds(outcome: Outcome): Node[] {
    const { step, memory } = outcome;
    if (!step) return [el("p", { role: "status" }, "No time of any part is known.")];
    const decode = this.state.phase === "decode";
    const key = (label: string, value: string, note: string): HTMLElement =>
      el("li", {}, el("span", { class: "key-label" }, label), " ", el("span", { class: "key-value" }, value), " ", el("span", { class: "key-note" }, note));
    const fits = memory.free === null ? "unknown" : memory.free >= 0 ? "fits" : "does not fit";
    const room = memory.sequences === null ? "" : `; room for ${grouped(memory.sequences)} sequences of this length`;
    return [
      el("ul", { class: "keys", "aria-label": "Bounds", role: "list" },
        key("A step takes at least", print.atLeast(step.overlapped), `however much overlaps: bound by ${step.boundBy}`),
        key("One part after the other", print.atLeast(step.inTurn), "at least, where each waits for the one before it"),
        decode
          ? key("For one sequence", print.atMost(step.rate, "tokens/s"), "at most, by the first bound")
          : key("Prompts", print.atMost(step.throughput, "tokens/s"), "at most, by the first bound"),
        decode ? key("For all sequences", print.atMost(step.throughput, "tokens/s"), "at most, together") : "",
        key("Memory of one accelerator", fits, memory.needed === null || memory.capacity === null ? "" : `${print.bytes(memory.needed)} of ${print.bytes(memory.capacity)}${room}`),
      ),
      el("p", { class: "sr", role: "status" }, `A step takes at least ${print.atLeast(step.overlapped)}, bound by ${step.boundBy}; memory ${fits}.`),
    ];
  }

  private table(outcome: Outcome): HTMLElement {
    const used = COLUMNS.filter(([column]) => outcome.parts.some((part) => column in part.cells));
    const { step } = outcome;
    const sum = (column: Column, resource: string): string => {
      const value = column === `${resource}_time` ? step?.resources[resource] : undefined;
      return value === undefined ? "" : print.time(value);
    };
    const together = used.map(([column]) => el("td", { class: "n" }, sum(column, column.replace("_time", ""))));
    const vector = step?.resources["vector compute"];
    return box(
      "Parts of one step",
      el("table", { class: "rl scenario" },
        el("caption", {}, "Parts of one step. Operations and traffic are of the whole deployment, times of one accelerator"),
        el("thead", {}, el("tr", {}, th("col", {}, "Part"), ...used.map(([, title]) => th("col", { class: "n" }, title)), th("col", {}, "Bound by"))),
        el("tbody", {},
          ...outcome.parts.map((part) => this.row(part, used)),
          el("tr", { class: "total" }, th("row", {}, "together"), ...together, el("td", {}, step?.boundBy ?? "")),
          vector === undefined ? null : el("tr", {}, th("row", {}, "vector units"),
            ...used.map(([column]) => el("td", { class: "n" }, column === "compute_time" ? print.time(vector) : "")), el("td", {})),
        ),
      ),
    );
  }

  private row(part: Part, used: [Column, string][]): HTMLElement {
    const id = part.class.split("/")[1]!;
    return el("tr", {},
      th("row", {}, link(`${part.class}/`, id)),
      ...used.map(([column]) => {
        const value = part.cells[column];
        if (value === undefined) return el("td", { class: "n" }, el("span", { class: "faint" }, "–"));
        if (value === null) return el("td", { class: "n" }, el("span", { class: "unknown" }, "unknown"));
        const text = print.cell(column, value);
        return el("td", { class: "n" }, value ? figure(text, "c", `${part.class}/#formula-${column}`) : el("span", { class: "faint" }, "0"));
      }),
      el("td", {}, part.boundBy),
    );
  }

  private memory(outcome: Outcome): HTMLElement {
    const { memory } = outcome;
    const shown = memory.costs.filter((cost) => cost.value !== 0);
    const stated = this.accelerator().values["memory.capacity"];
    const line = (name: Node | string, value: number | null, total = false): HTMLElement =>
      el("tr", { class: total ? "total" : null }, th("row", {}, name), el("td", { class: "n" }, value === null ? el("span", { class: "unknown" }, "unknown") : print.bytes(value)));
    const capacity = el("tr", {}, th("row", {}, "capacity"), el("td", { class: "n" },
      stated ? figure(print.bytes(stated[0]), stated[2], stated[3]) : el("span", { class: "unknown" }, "unknown")));
    return box(
      "Memory of one accelerator",
      el("table", { class: "rl narrow" },
        el("caption", {}, "Memory of one accelerator; buffers and activations are what the reserve is for"),
        el("thead", {}, el("tr", {}, th("col", {}, "What"), th("col", { class: "n" }, "Bytes"))),
        el("tbody", {},
          ...shown.map((cost) => line(el("span", {}, KINDS[cost.formula] ?? cost.formula, " ", el("span", { class: "small" }, link(`${cost.class}/#formula-${cost.formula}`, cost.class.split("/")[1]!))), cost.value)),
          line("together", memory.needed, true),
          capacity,
          memory.free === null ? null : line(memory.free >= 0 ? "left" : "too much", Math.abs(memory.free)),
        ),
      ),
    );
  }

  private missing(outcome: Outcome): HTMLElement | string {
    const lines = outcome.gaps.map((gap) => `${gap.column.replace("_", " ")} of ${gap.class.split("/")[1]!}: ${gap.why}`);
    if (outcome.uncounted.length) lines.push(`not counted, for no class covers it: ${outcome.uncounted.join(", ")}`);
    if (!lines.length) return "";
    return el("div", { class: "open" }, el("p", {}, "Not known, and left out of the sums:"), el("ul", {}, ...lines.map((text) => el("li", {}, text))));
  }

  private formulas(outcome: Outcome): HTMLElement {
    const lines = outcome.parts.flatMap((part) => {
      const id = part.class.split("/")[1]!;
      const told = this.catalogue.classes[id]?.formulas ?? {};
      return COLUMNS.filter(([column]) => part.cells[column] !== undefined).map(([column]) =>
        el("tr", {},
          th("row", {}, id),
          el("td", {}, link(`${part.class}/#formula-${column}`, column)),
          el("td", {}, el("code", {}, told[column] ?? "")),
          el("td", { class: "n" }, part.cells[column] === null ? "unknown" : print.cell(column, part.cells[column]!)),
        ));
    });
    return el("details", { "data-what": "formulas" }, el("summary", {}, "The formula of each number"),
      box("Formulas", el("table", { class: "rl" },
        el("caption", {}, `Formulas of the classes, added up over the layers; operations and memory traffic times the groups of accelerators that do them`),
        el("thead", {}, el("tr", {}, th("col", {}, "Part"), th("col", {}, "Value"), th("col", {}, "Formula"), th("col", { class: "n" }, "Here"))),
        el("tbody", {}, ...lines))));
  }

  private inputs(outcome: Outcome, tape: Tape): HTMLElement {
    const formats = this.formats();
    const accelerator = this.accelerator();
    const line = (what: string, name: string, stated: Stated): HTMLElement =>
      el("tr", {}, th("row", {}, name), el("td", { class: "n" }, figure(stated[1], stated[2], stated[3])), el("td", {}, what));
    const rows: HTMLElement[] = [];
    for (const input of [...new Set([...tape.inputs.filter((name) => name.startsWith("accelerator.")), "accelerator.memory.capacity"])]) {
      const name = quantity(input.slice(12), formats.compute);
      const stated = accelerator.values[name];
      rows.push(stated ? line(accelerator.name, name, stated)
        : el("tr", {}, th("row", {}, name), el("td", { class: "n" }, el("span", { class: "unknown" }, "unknown")), el("td", {}, accelerator.name)));
    }
    for (const use of ["weights", "experts", "activations", "cache"] as const) {
      const format = this.catalogue.formats.find((one) => one.id === formats[use])!;
      if (use !== "experts" || tape.inputs.includes("experts.bits")) rows.push(line(`${format.name}, of the ${use}`, `bits of ${format.id}`, format.bits));
    }
    const model = this.catalogue.models.find((one) => one.id === this.state.model)!;
    for (const [name, shown, target] of tape.given as unknown as [string, string, string][]) {
      rows.push(line(model.name, name, [0, shown || "stated", "r", target]));
    }
    const set = Object.entries(outcome.inputs).filter(([name]) => /^(context|tokens|tensor|expert|pipeline|data)$/.test(name));
    for (const [name, value] of set) {
      rows.push(el("tr", {}, th("row", {}, name), el("td", { class: "n" }, grouped(value)), el("td", {}, "set on this page: an assumption")));
    }
    return el("details", { "data-what": "inputs" }, el("summary", {}, "Where each input is from"),
      box("Inputs", el("table", { class: "rl" },
        el("caption", {}, "What the formulas read: recorded values with their place, formats, and what is set here"),
        el("thead", {}, el("tr", {}, th("col", {}, "Input"), th("col", { class: "n" }, "Value"), th("col", {}, "Of"))),
        el("tbody", {}, ...rows))));
  }

  private assumptions(outcome: Outcome): HTMLElement {
    const told = outcome.parts.map((part) => part.class.split("/")[1]!).filter((id) => this.catalogue.classes[id]?.assumes);
    return el("details", { "data-what": "assumptions" }, el("summary", {}, `Assumptions (${told.length + 1})`),
      el("ul", {},
        el("li", {}, "Every accelerator works at its peak rate, at its full bandwidth and at the full rate of its links: these are bounds."),
        ...told.map((id) => el("li", {}, link(`classes/${id}/`, id), `: ${this.catalogue.classes[id]!.assumes}`))));
  }

  private command(): string {
    const { state } = this;
    const words = [`ridgeline scenario ${state.model} ${state.on}`];
    if (state.phase !== "decode") words.push(`--phase ${state.phase}`);
    const usual: Partial<State> = { batch: "1", count: "1", tensor: "", pipeline: "1", expert: "1", data: "1", weights: "bf16", experts: "", activations: "bf16", cache: "bf16", compute: "" };
    for (const name of ["context", "batch", "count", "tensor", "pipeline", "expert", "data", ...FORMATS] as const) {
      if (state[name] !== usual[name] && state[name] !== "") words.push(`--${name} ${state[name]}`);
    }
    if (Number(state.reserve)) words.push(`--reserve '${state.reserve} GiB'`);
    return words.join(" ");
  }

  private csv(outcome: Outcome): string[][] {
    const line = (part: Part): string[] => [
      part.class, ...COLUMNS.map(([column]) => (part.cells[column] === null ? "unknown" : part.cells[column]?.toString() ?? "")), part.boundBy,
    ];
    const { step } = outcome;
    const sums = COLUMNS.map(([column]) => step?.resources[column.replace("_time", "")]?.toString() ?? "");
    return [
      ["part", "flops", "bytes", "link_bytes", "compute_time_s", "memory_time_s", "link_time_s", "bound_by"],
      ...outcome.parts.map(line),
      ["together", "", "", "", ...sums.slice(3), step?.boundBy ?? ""],
      ["a step takes at least, s", step?.overlapped.toString() ?? "", "", "", "", "", "", ""],
      ["one part after the other, s", step?.inTurn.toString() ?? "", "", "", "", "", "", ""],
    ];
  }
}
