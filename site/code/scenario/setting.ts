// What a scenario is asked for, and how its accelerators share the work: the same rules, in the same words, as
// `ridgeline scenario`.
import type { Degree, Phase, Tape } from "./tape";

export interface Setting {
  phase: Phase;
  context: number;
  batch: number;
  count: number;
  tensor: number | null;
  pipeline: number;
  expert: number;
  data: number;
  reserve: number;
}

export interface Deployment {
  tensor: number;
  pipeline: number;
  expert: number;
  data: number;
  replicaBatch: number;
  microBatches: number;
}

/** A scenario that cannot be: the message says why, and what can be instead. */
export class Impossible extends Error {}

const MOST = { batch: 1e9, context: 1e12, accelerators: 1e6 };
const many = (count: number, what: string): string => `${grouped(count)} ${what}${count === 1 ? "" : "s"}`;
export const grouped = (count: number): string => count.toLocaleString("en-US");

export function deployment(setting: Setting): Deployment {
  const bounded: [string, number, number][] = [
    ["batch", setting.batch, MOST.batch],
    ["context", setting.context, MOST.context],
    ["count", setting.count, MOST.accelerators],
    ["pipeline", setting.pipeline, MOST.accelerators],
    ["expert", setting.expert, MOST.accelerators],
    ["data", setting.data, MOST.accelerators],
    ["tensor", setting.tensor ?? 1, MOST.accelerators],
  ];
  for (const [what, value, most] of bounded) {
    if (!(Number.isInteger(value) && value >= 1 && value <= most)) {
      throw new Impossible(`${what}: a whole number, at least 1 and at most ${grouped(most)}`);
    }
  }
  const tensor = tensorOf(setting);
  const { pipeline, expert, data } = setting;
  if ((tensor * data) % expert) {
    throw new Impossible(
      `the experts cannot be spread over ${expert} of the ${tensor * data} accelerators of a stage ` +
        `(tensor ${tensor} × data ${data}): expert must divide their number`,
    );
  }
  if (expert % tensor && tensor % expert) {
    throw new Impossible(`expert ${expert} and tensor ${tensor}: one must be a multiple of the other`);
  }
  if (setting.batch % data) {
    throw new Impossible(
      `${many(setting.batch, "sequence")} cannot be split evenly among ${data} replicas: make batch a multiple of ${data}`,
    );
  }
  const replicaBatch = setting.batch / data;
  const microBatches = Math.min(pipeline, replicaBatch);
  if (replicaBatch % microBatches) {
    throw new Impossible(
      `${many(replicaBatch, "sequence")} of a replica cannot be split evenly into ${microBatches} micro-batches, one for ` +
        `each stage of the pipeline: make batch a multiple of ${data * microBatches}`,
    );
  }
  return { tensor, pipeline, expert, data, replicaBatch, microBatches };
}

function tensorOf(setting: Setting): number {
  const others = setting.pipeline * setting.data;
  if (setting.tensor === null) {
    if (setting.count % others) {
      throw new Impossible(
        `${many(setting.count, "accelerator")} cannot be split evenly into pipeline ${setting.pipeline} × data ` +
          `${setting.data}: count must be a multiple of ${others}`,
      );
    }
    return setting.count / others;
  }
  if (setting.tensor * others !== setting.count) {
    throw new Impossible(
      `tensor ${setting.tensor} × pipeline ${setting.pipeline} × data ${setting.data} are ${setting.tensor * others} ` +
        `accelerators, not ${setting.count}: change one of them, or count`,
    );
  }
  return setting.tensor;
}

/** Whether the model can be shared as the setting says. */
export function possible(tape: Tape, shared: Deployment): void {
  const { shape } = tape;
  if (shared.pipeline > shape.layers) {
    throw new Impossible(`the model has ${shape.layers} layers: they make no ${shared.pipeline} stages of a pipeline`);
  }
  if (shared.expert > 1 && !shape.experts.length) {
    throw new Impossible(`the model has no experts to spread over ${shared.expert} accelerators`);
  }
  for (const number of shape.experts) {
    if (shared.expert > number) {
      throw new Impossible(`the model has ${number} experts in a layer: they cannot be spread over ${shared.expert}`);
    }
  }
  for (const heads of shape.query_heads) divides(`the ${heads} query heads`, heads, shared.tensor);
  for (const heads of shape.kv_heads) {
    if (shared.tensor % heads) divides(`the ${heads} KV heads`, heads, shared.tensor);
  }
}

function divides(what: string, number: number, among: number): void {
  if (number % among) {
    throw new Impossible(`${what} of the model cannot be shared evenly among ${among} accelerators: change tensor`);
  }
}

/** Whether anything travels between the accelerators of a degree. */
export function active(shared: Deployment, over: Degree): boolean {
  return over === "expert" ? shared.expert > shared.tensor : shared[over] > 1;
}

/** One group of accelerators that works together: how many, on how many sequences at once, how often in a step. */
export function share(shared: Deployment, over: Degree): { devices: number; batch: number; groups: number } {
  const { tensor, data, microBatches } = shared;
  const atOnce = Math.floor(shared.replicaBatch / microBatches);
  if (over === "expert") {
    const wide = Math.max(shared.expert, tensor);
    return {
      devices: wide,
      batch: Math.floor((atOnce * wide) / tensor),
      groups: Math.floor((data * tensor) / wide) * microBatches,
    };
  }
  // A stage hands all micro-batches on in a step, and replicas meet once in it.
  if (over === "pipeline") return { devices: shared.pipeline, batch: shared.replicaBatch, groups: data };
  if (over === "data") return { devices: data, batch: shared.replicaBatch * data, groups: 1 };
  return { devices: tensor, batch: atOnce, groups: data * microBatches };
}
