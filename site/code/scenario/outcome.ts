// The outcome of a scenario, by the program of its model: the parts of a step, the least time that it takes, the rates that
// follow, and what stands in memory.
import { active, deployment, possible, share, type Deployment, type Setting } from "./setting";
import { COSTS, Run, TIMES, type Column, type Degree, type Tape } from "./tape";

/** What the inputs of a program are called, with the values of the records that were chosen. */
export interface Hardware {
  /** Quantities of the accelerator by name, `peak` being that of the format of the matrix units. */
  accelerator: (name: string) => number | undefined;
  weights: number;
  experts: number;
  activations: number;
  cache: number;
  compute: number;
}

export interface Part {
  class: string;
  path: string;
  devices: number;
  sequences: number;
  groups: number;
  cells: Partial<Record<Column, number | null>>;
  slots: Partial<Record<Column, number>>;
  boundBy: string;
}

export interface Step {
  resources: Record<string, number>;
  boundBy: string;
  overlapped: number;
  inTurn: number;
  rate: number;
  throughput: number;
}

export interface Memory {
  costs: { class: string; formula: string; value: number | null }[];
  kinds: Record<string, number>;
  needed: number | null;
  capacity: number | null;
  free: number | null;
  sequences: number | null;
}

export interface Outcome {
  deployment: Deployment;
  parts: Part[];
  step: Step | null;
  memory: Memory;
  uncounted: string[];
  gaps: { class: string; column: Column; why: string }[];
  inputs: Record<string, number>;
}

const RESOURCE: Record<(typeof TIMES)[number], string> = {
  compute_time: "compute",
  memory_time: "memory",
  link_time: "link",
};
const KINDS = ["resident_weights", "resident_cache", "resident_state", "resident_reserve"];

/** The outcome; throws `Impossible` where there can be none. */
export function scenario(tape: Tape, setting: Setting, hardware: Hardware): Outcome {
  const shared = deployment(setting);
  possible(tape, shared);
  const inputs = named(setting, shared, hardware);
  const read: Record<string, number> = {};
  const run = new Run(tape, (name) => {
    const value = name.startsWith("accelerator.") ? hardware.accelerator(name.slice(12)) : inputs[name];
    if (value !== undefined) read[name] = value;
    return value;
  });
  const gaps: Outcome["gaps"] = [];
  const parts: Part[] = [];
  for (const part of tape.parts[setting.phase]) {
    if (part.cells.link_bytes !== undefined && !active(shared, part.over)) continue;
    const of = share(shared, part.over);
    const cells: Part["cells"] = {};
    const lacking: Outcome["gaps"] = [];
    for (const column of [...COSTS, ...TIMES]) {
      const slot = part.cells[column];
      if (slot === undefined) continue;
      const value = run.at(slot);
      const times = column === "flops" || column === "bytes" ? of.groups : 1;
      cells[column] = value === null ? null : value * times;
      if (value === null) {
        const names = run.lacks(slot).map((name) => name.replace(/^accelerator\./, ""));
        lacking.push({ class: part.class, column, why: part.why[column] ?? `no value of ${names.join(", ")}` });
      }
    }
    if (!Object.values(cells).some((value) => value !== 0)) continue;
    gaps.push(...lacking);
    parts.push({
      class: part.class,
      path: part.path,
      devices: of.devices,
      sequences: of.batch,
      groups: of.groups,
      cells,
      slots: part.cells,
      boundBy: longest(TIMES.map((time) => [RESOURCE[time], cells[time] ?? null])),
    });
  }
  const over = tape.uncounted[setting.phase];
  const traffic = (Object.entries(over.over) as [Degree, string][]).filter(([degree]) => active(shared, degree));
  return {
    deployment: shared,
    parts,
    step: stepOf(parts, setting),
    memory: memoryOf(tape, run, shared, hardware),
    uncounted: [...over.always, ...traffic.map(([, work]) => work)],
    gaps,
    inputs: read,
  };
}

function named(setting: Setting, shared: Deployment, hardware: Hardware): Record<string, number> {
  const found: Record<string, number> = {
    context: setting.context,
    tokens: setting.phase === "prefill" ? setting.context : 1,
    reserve: setting.reserve,
    "weights.bits": hardware.weights,
    "experts.bits": hardware.experts,
    "activations.bits": hardware.activations,
    "cache.bits": hardware.cache,
    "compute.bits": hardware.compute,
    "memory.devices": shared.tensor,
    "memory.batch": shared.replicaBatch,
  };
  for (const over of ["tensor", "expert", "pipeline", "data"] as const) {
    const of = share(shared, over);
    found[over] = shared[over];
    found[`${over}.devices`] = of.devices;
    found[`${over}.batch`] = of.batch;
  }
  return found;
}

/** The name of the greatest; all of them where several are. */
function longest(times: [string, number | null][]): string {
  const known = times.filter((entry): entry is [string, number] => entry[1] !== null);
  const most = Math.max(0, ...known.map(([, time]) => time));
  return most ? known.filter(([, time]) => time === most).map(([name]) => name).join(" = ") : "";
}

function stepOf(parts: Part[], setting: Setting): Step | null {
  const resources: Record<string, number> = {};
  let inTurn = 0;
  for (const part of parts) {
    let most = 0;
    for (const time of TIMES) {
      const value = part.cells[time];
      if (value === undefined || value === null) continue;
      const name = time === "compute_time" && part.path === "vector" ? "vector compute" : RESOURCE[time];
      resources[name] = (resources[name] ?? 0) + value;
      most = Math.max(most, value);
    }
    inTurn += most;
  }
  const overlapped = Math.max(0, ...Object.values(resources));
  if (!overlapped) return null;
  const rate = (setting.phase === "prefill" ? setting.context : 1) / overlapped;
  const boundBy = longest(Object.entries(resources));
  return { resources, boundBy, overlapped, inTurn, rate, throughput: setting.batch * rate };
}

function memoryOf(tape: Tape, run: Run, shared: Deployment, hardware: Hardware): Memory {
  const costs = tape.memory.map((m) => ({ class: m.class, formula: m.formula, value: run.at(m.slot) }));
  const kinds: Record<string, number> = {};
  for (const kind of KINDS) {
    const values = costs.filter((cost) => cost.formula === kind && cost.value !== null).map((cost) => cost.value as number);
    if (values.length) kinds[kind] = values.reduce((sum, value) => sum + value, 0);
  }
  const sum = (names: string[]): number => names.reduce((total, name) => total + (kinds[name] ?? 0), 0);
  const needed = Object.keys(kinds).length ? sum(KINDS) : null;
  const capacity = hardware.accelerator("memory.capacity") ?? null;
  if (needed === null || capacity === null || costs.some((cost) => cost.value === null)) {
    return { costs, kinds, needed, capacity, free: null, sequences: null };
  }
  const growing = sum(["resident_cache", "resident_state"]);
  const room = (capacity - sum(["resident_weights", "resident_reserve"])) / (growing / shared.replicaBatch);
  const sequences = growing ? shared.data * Math.max(0, Math.floor(room)) : null;
  return { costs, kinds, needed, capacity, free: capacity - needed, sequences };
}
