// A program of a derivation: inputs, numbers and steps of arithmetic over them. It is data that is interpreted here, so no
// page runs text as code. The list of operations is that of formulas/writers/common.py.

export interface Program {
  numbers: number[];
  steps: number[];
}

export const ONE: ((x: number) => number)[] = [];
export const TWO: ((x: number, y: number) => number)[] = [];
TWO[0] = (x, y) => x + y;
TWO[1] = (x, y) => x - y;
TWO[2] = (x, y) => x * y;
TWO[3] = (x, y) => x / y;
TWO[4] = Math.pow;
ONE[5] = (x) => -x;
TWO[6] = Math.min;
TWO[7] = Math.max;
ONE[8] = Math.ceil;
ONE[9] = Math.floor;
ONE[10] = (x) => Math.sign(x) * Math.round(Math.abs(x));
ONE[11] = Math.abs;
ONE[12] = Math.sqrt;
ONE[13] = Math.log2;

/** The value of every slot: the inputs as given, the numbers, the steps. */
export function values(program: Program, inputs: readonly number[]): number[] {
  const found = [...inputs, ...program.numbers];
  const { steps } = program;
  for (let at = 0; at < steps.length; ) {
    const two = TWO[steps[at]!];
    const x = found[steps[at + 1]!]!;
    found.push(two ? two(x, found[steps[at + 2]!]!) : ONE[steps[at]!]!(x));
    at += two ? 3 : 2;
  }
  return found;
}
