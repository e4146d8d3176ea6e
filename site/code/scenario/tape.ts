// A program of a model: numbers and steps of arithmetic, with the setting and the accelerator left open. It is data that is
// interpreted here, so no page needs to run text as code.

import { ONE, TWO } from "../program";

/** A cell of a part that has no formula for this model. */
const NOT_THERE = -1;

export interface PartOfTape {
  class: string;
  over: Degree;
  path: string;
  cells: Partial<Record<Column, number>>;
  why: Partial<Record<Column, string>>;
}

export interface Tape {
  schema: string;
  model: string;
  shape: { layers: number; query_heads: number[]; kv_heads: number[]; experts: number[] };
  inputs: string[];
  given: [string, string][];
  numbers: number[];
  steps: number[];
  parts: Record<Phase, PartOfTape[]>;
  memory: { class: string; formula: string; slot: number; why: string }[];
  uncounted: Record<Phase, { always: string[]; over: Partial<Record<Degree, string>> }>;
}

export type Degree = "tensor" | "expert" | "pipeline" | "data";
export type Phase = "decode" | "prefill";
export const COSTS = ["flops", "bytes", "link_bytes"] as const;
export const TIMES = ["compute_time", "memory_time", "link_time"] as const;
export type Column = (typeof COSTS)[number] | (typeof TIMES)[number];

/** The values of a program: one for each of its numbers and steps. An input that is not known is NaN, and so is what reads it. */
export class Run {
  private readonly values: number[];
  private readonly places: [number, number][] = [];

  constructor(
    readonly tape: Tape,
    input: (name: string) => number | undefined,
  ) {
    const values = tape.inputs.map((name) => input(name) ?? NaN);
    values.push(...tape.numbers);
    const { steps } = tape;
    for (let at = 0; at < steps.length; ) {
      const operation = steps[at]!;
      const two = TWO[operation];
      const x = values[steps[at + 1]!]!;
      this.places[values.length] = two ? [steps[at + 1]!, steps[at + 2]!] : [steps[at + 1]!, -1];
      values.push(two ? two(x, values[steps[at + 2]!]!) : ONE[operation]!(x));
      at += two ? 3 : 2;
    }
    this.values = values;
  }

  /** The value of a slot; null where it is not known. */
  at(slot: number | undefined): number | null {
    const value = slot === undefined || slot === NOT_THERE ? NaN : this.values[slot]!;
    return Number.isFinite(value) ? value : null;
  }

  /** The inputs without a value that a slot rests on. */
  lacks(slot: number | undefined): string[] {
    const found = new Set<string>();
    const stack = slot === undefined || slot === NOT_THERE ? [] : [slot];
    while (stack.length) {
      const here = stack.pop()!;
      if (Number.isFinite(this.values[here]!)) continue;
      const name = this.tape.inputs[here];
      if (name !== undefined) found.add(name);
      for (const below of this.places[here] ?? []) if (below >= 0) stack.push(below);
    }
    return [...found];
  }
}
