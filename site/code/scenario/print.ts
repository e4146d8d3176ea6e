// Values as `ridgeline scenario` prints them: four significant digits, in the unit in which the field prints such a value.

export type Rounding = "near" | "down" | "up";

/** A number at a few significant digits, as a plain decimal without zeros at its end. Exact for every double. */
export function significant(value: number, digits = 4, rounding: Rounding = "near"): number {
  if (!value || !Number.isFinite(value)) return value;
  const near = Number(value.toPrecision(digits));
  if (rounding === "near" || near === value) return near;
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(value))) - digits + 1);
  const step = Number(unit.toPrecision(1));
  if (rounding === "down") return near > value ? Number((near - step).toPrecision(digits)) : near;
  return near < value ? Number((near + step).toPrecision(digits)) : near;
}

const TIME: [number, string][] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]];
const BYTES: [number, string][] = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]];
const WORK: [number, string][] = [
  [1e15, "PFLOP"], [1e12, "TFLOP"], [1e9, "GFLOP"], [1e6, "MFLOP"], [1e3, "kFLOP"], [1, "FLOP"],
];

function inUnit(value: number, units: [number, string][], rounding: Rounding): string {
  const rounded = significant(value, 4, rounding);
  if (!rounded) return `0 ${units[units.length - 1]![1]}`;
  const [factor, unit] = units.find(([least]) => Math.abs(rounded) >= least) ?? units[units.length - 1]!;
  return `${plain(Number((rounded / factor).toPrecision(4)))} ${unit}`;
}

export const time = (value: number, rounding: Rounding = "near"): string => inUnit(value, TIME, rounding);
export const bytes = (value: number, rounding: Rounding = "near"): string => inUnit(value, BYTES, rounding);
export const work = (value: number): string => inUnit(value, WORK, "near");

/** A number with its thousands grouped. */
export function plain(value: number): string {
  const size = Math.abs(value);
  if (size && (size >= 1e15 || size < 1e-4)) return value.toExponential().replace("e+", "e");
  return value.toLocaleString("en-US", { maximumSignificantDigits: 15 });
}

/** An upper bound on a rate, never rounded down. */
export const atMost = (value: number, unit: string): string => `${plain(significant(value, 4, "up"))} ${unit}`;
/** A lower bound on a time, never rounded up. */
export const atLeast = (value: number): string => time(value, "down");

/** A cell of a part by what stands in its column. */
export function cell(column: string, value: number): string {
  if (column.endsWith("_time")) return time(value);
  return column === "flops" ? work(value) : bytes(value);
}
