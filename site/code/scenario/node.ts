// The calculator's own code behind standard input, for the tests: a list of settings in, a list of outcomes out.
import { scenario } from "./outcome";
import * as print from "./print";
import { Impossible, type Setting } from "./setting";
import type { Tape } from "./tape";

export interface Asked {
  model: string;
  setting: Setting;
  accelerator: Record<string, number>;
  formats: { weights: number; experts: number; activations: number; cache: number; compute: number };
}

export function answer(tapes: Record<string, Tape>, asked: Asked[]): unknown[] {
  return asked.map((one) => {
    try {
      const outcome = scenario(tapes[one.model]!, one.setting, {
        ...one.formats,
        accelerator: (name) => one.accelerator[name],
      });
      const { step } = outcome;
      const printed = step && {
        overlapped: print.atLeast(step.overlapped),
        in_turn: print.atLeast(step.inTurn),
        throughput: print.atMost(step.throughput, "tokens/s"),
        needed: outcome.memory.needed === null ? null : print.bytes(outcome.memory.needed),
      };
      return { ...outcome, printed };
    } catch (error) {
      if (error instanceof Impossible) return { impossible: error.message };
      throw error;
    }
  });
}
