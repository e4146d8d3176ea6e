// What the page lets a reader choose from: accelerators, formats and models with the values that programs read.
import type { Hardware } from "./outcome";

/** `[value in base units, as printed, status, target]`. */
export type Stated = [number, string, string, string];

export interface Accelerator {
  id: string;
  name: string;
  of: string;
  scope: string;
  values: Record<string, Stated>;
}

export interface Catalogue {
  accelerators: Accelerator[];
  formats: { id: string; name: string; bits: Stated }[];
  models: { id: string; name: string; of: string }[];
  classes: Record<string, { name: string; assumes: string; formulas: Record<string, string> }>;
}

export interface Formats {
  weights: string;
  experts: string;
  activations: string;
  cache: string;
  compute: string;
}

/** What a format is called in the name of a peak. */
export const key = (format: string): string => format.replaceAll("-", "_").replaceAll(".", "_");

/** The name of an accelerator's quantity that an input stands for: `peak` is that of the format of the matrix units. */
export const quantity = (input: string, compute: string): string =>
  input === "peak" || input === "ridge" ? `${input}.${key(compute)}` : input;

/** The formats that the matrix units of an accelerator can be set to. */
export function computes(catalogue: Catalogue, accelerator: Accelerator): { id: string; name: string }[] {
  return catalogue.formats.filter((format) => accelerator.values[`peak.${key(format.id)}`]);
}

export function hardware(catalogue: Catalogue, accelerator: Accelerator, formats: Formats): Hardware {
  const bits = (id: string): number => catalogue.formats.find((format) => format.id === id)?.bits[0] ?? NaN;
  return {
    accelerator: (name) => accelerator.values[quantity(name, formats.compute)]?.[0],
    weights: bits(formats.weights),
    experts: bits(formats.experts),
    activations: bits(formats.activations),
    cache: bits(formats.cache),
    compute: bits(formats.compute),
  };
}
