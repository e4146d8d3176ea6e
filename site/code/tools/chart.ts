// Rooflines of several accelerators in one drawing, with the operators of a model on them: the drawing that
// tooling/ridgeline/publish/chart.py makes when the site is built, with the same frame and the same coordinates.

const WIDTH = 840;
const HEIGHT = 470;
const LEFT = 74;
const RIGHT = 30;
const TOP = 34;
const BOTTOM = 54;
/** Powers of ten at the ends of the axis of intensity: it stays where it is while dots move. */
const X_LOW = -1;
const X_HIGH = 5;
/** Room of a guide's number, in pixels. */
const ROOM = 15;

/** A roof: bandwidth in bytes/s, peaks of the matrix and of the vector units in operations/s. */
export interface Line {
  name: string;
  bandwidth: number;
  peak: number;
  vector: number | null;
}

/** A part of a step at its arithmetic intensity, in operations per byte. */
export interface Operator {
  number: number;
  name: string;
  intensity: number;
  vector: boolean;
}

/** An element of the drawing: its name, attributes, and what is in it. */
export type Shape = [tag: string, attributes: Record<string, string | number>, ...inside: (Shape | string)[]];

interface Frame {
  low: number;
  high: number;
}

const held = (share: number): number => Math.min(1, Math.max(0, share));

function around(lines: Line[]): Frame {
  const high = Math.ceil(Math.log10(Math.max(...lines.map((line) => line.peak)) * 1.05));
  const low = Math.floor(Math.log10(Math.min(...lines.map((line) => line.bandwidth)) * 10 ** X_LOW));
  return { low: Math.max(low, high - 7), high };
}

const across = (intensity: number): number =>
  LEFT + held((Math.log10(intensity) - X_LOW) / (X_HIGH - X_LOW)) * (WIDTH - RIGHT - LEFT);

const up = (frame: Frame, rate: number): number =>
  HEIGHT - BOTTOM - held((Math.log10(rate) - frame.low) / (frame.high - frame.low)) * (HEIGHT - BOTTOM - TOP);

/** The most that a part can attain; null where the units that do its operations have no known peak. */
export function attainable(line: Line, operator: Operator): number | null {
  const peak = operator.vector ? line.vector : line.peak;
  return peak === null ? null : Math.min(peak, operator.intensity * line.bandwidth);
}

/** Where the operators' guides and their numbers stand: numbers keep apart, in the order of the intensities. */
function guides(operators: Operator[]): [number, number][] {
  const order = operators.map((_, index) => index).sort((a, b) => operators[a]!.intensity - operators[b]!.intensity || a - b);
  const at = order.map((index) => across(operators[index]!.intensity));
  const placed: number[] = [];
  for (const x of at) placed.push(placed.length ? Math.max(x, placed[placed.length - 1]! + ROOM) : Math.max(x, LEFT + 4));
  let limit = WIDTH - RIGHT - 4;
  for (let index = placed.length - 1; index >= 0; index -= 1) {
    placed[index] = Math.min(placed[index]!, limit);
    limit = placed[index]! - ROOM;
  }
  const found: [number, number][] = operators.map(() => [0, 0]);
  order.forEach((place, index) => (found[place] = [at[index]!, placed[index]!]));
  return found;
}

const fixed = (value: number): string => value.toFixed(1);
const power = (exponent: number): string =>
  exponent >= 0 ? (10 ** exponent).toLocaleString("en-US") : (10 ** exponent).toFixed(-exponent);

/** The drawing; there must be a roof. */
export function drawing(lines: Line[], operators: Operator[], id: string, title: string, description: string): Shape {
  const frame = around(lines);
  const at = guides(operators);
  const shapes: Shape[] = [];
  operators.forEach((operator, index) => {
    const [x, label] = at[index]!;
    shapes.push(
      ["polyline", { class: "guide", points: `${fixed(x)},${HEIGHT - BOTTOM} ${fixed(x)},${TOP} ${fixed(label)},${TOP - 10}` }],
      ["text", { class: "guide", x: fixed(label), y: TOP - 14, "text-anchor": "middle" }, String(operator.number)],
    );
  });
  lines.forEach((line, number) => shapes.push(...roof(frame, number, line, operators)));
  lines.forEach((line, number) => shapes.push(named(number, line, lines.length)));
  return [
    "svg",
    { class: "roofline explorer", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-labelledby": `${id}-title ${id}-desc` },
    ["title", { id: `${id}-title` }, title],
    ["desc", { id: `${id}-desc` }, description],
    ...grid(frame),
    ...shapes,
  ];
}

function roof(frame: Frame, number: number, line: Line, operators: Operator[]): Shape[] {
  const shapes: Shape[] = [];
  const roofs: [number | null, string, string][] = [[line.vector, " dashed", "vector units"], [line.peak, "", "matrix units"]];
  for (const [peak, style, units] of roofs) {
    if (peak === null) continue;
    const start = Math.max(10 ** X_LOW, 10 ** frame.low / line.bandwidth);
    const corners: [number, number][] = [[start, start * line.bandwidth], [peak / line.bandwidth, peak], [10 ** X_HIGH, peak]];
    const points = corners.map(([x, y]) => `${fixed(across(x))},${fixed(up(frame, y))}`).join(" ");
    shapes.push(["polyline", { class: `roof-${number}${style}`, points }, ["title", {}, `${line.name}, ${units}`]]);
  }
  for (const operator of operators) {
    const rate = attainable(line, operator);
    if (rate === null) continue;
    const place = { cx: fixed(across(operator.intensity)), cy: fixed(up(frame, rate)), r: 5 };
    const told: Shape = ["title", {}, `${operator.number} ${operator.name} on ${line.name}`];
    shapes.push(["circle", { class: `roof-${number}${operator.vector ? " hollow" : ""}`, ...place }, told]);
  }
  return shapes;
}

/** The name of a roof, in the corner that no roof reaches. */
function named(number: number, line: Line, many: number): Shape {
  const place = { x: WIDTH - RIGHT - 10, y: HEIGHT - BOTTOM - 14 - 18 * (many - 1 - number) };
  return ["text", { class: "name", ...place, "text-anchor": "end" }, `${line.name} `, ["tspan", { class: `roof-${number}` }, "●"]];
}

function grid(frame: Frame): Shape[] {
  const shapes: Shape[] = [];
  const line = (x1: number, y1: number, x2: number, y2: number): Shape =>
    ["line", { class: "grid", x1: fixed(x1), y1: fixed(y1), x2: fixed(x2), y2: fixed(y2) }];
  for (let exponent = X_LOW; exponent <= X_HIGH; exponent += 1) {
    const x = across(10 ** exponent);
    shapes.push(
      line(x, TOP, x, HEIGHT - BOTTOM),
      ["text", { class: "tick", x: fixed(x), y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, power(exponent)],
    );
  }
  for (let exponent = frame.low; exponent <= frame.high; exponent += 1) {
    const y = up(frame, 10 ** exponent);
    shapes.push(
      line(LEFT, y, WIDTH - RIGHT, y),
      ["text", { class: "tick", x: LEFT - 8, y: fixed(y + 4), "text-anchor": "end" }, power(exponent - 12)],
    );
  }
  const middle = { "text-anchor": "middle" };
  shapes.push(
    ["text", { class: "axis", x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 12, ...middle }, "arithmetic intensity, operations per byte"],
    ["text", { class: "axis", transform: `translate(16 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)`, ...middle },
      "attainable rate, 10¹² operations per second"],
  );
  return shapes;
}
