"""Rooflines of several accelerators in one drawing, with the operators of a model on them.

``site/code/tools/chart.ts`` makes the same drawing in the browser: the same frame, the same coordinates. A test holds the
two against each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

WIDTH, HEIGHT = 840, 470
LEFT, RIGHT, TOP, BOTTOM = 74, 30, 34, 54
#: Powers of ten at the ends of the axis of intensity: it stays where it is while dots move.
X_LOW, X_HIGH = -1, 5
#: Room of a guide's number, in pixels.
_ROOM = 15.0


@dataclass(frozen=True, slots=True)
class Line:
    """A roof: bandwidth in bytes/s, peaks of the matrix and of the vector units in operations/s."""

    name: str
    bandwidth: float
    peak: float
    vector: float | None = None


@dataclass(frozen=True, slots=True)
class Operator:
    """A part of a step at its arithmetic intensity, in operations per byte."""

    number: int
    name: str
    intensity: float
    vector: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """The axis of rates, as powers of ten at its ends."""

    low: int
    high: int

    @classmethod
    def around(cls, lines: Sequence[Line]) -> Frame:
        """The frame that holds all of some roofs: from where the lowest begins, but no more than seven decades."""
        high = math.ceil(math.log10(max(line.peak for line in lines) * 1.05))
        low = math.floor(math.log10(min(line.bandwidth for line in lines) * 10.0**X_LOW))
        return cls(max(low, high - 7), high)

    def x(self, intensity: float) -> float:
        """Where an intensity stands; what lies outside stands at the edge."""
        share = (math.log10(intensity) - X_LOW) / (X_HIGH - X_LOW)
        return LEFT + min(1.0, max(0.0, share)) * (WIDTH - RIGHT - LEFT)

    def y(self, rate: float) -> float:
        """Where a rate stands."""
        share = (math.log10(rate) - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - min(1.0, max(0.0, share)) * (HEIGHT - BOTTOM - TOP)


def points(frame: Frame, bandwidth: float, peak: float) -> list[tuple[float, float]]:
    """The corners of a roof: where it enters, the ridge point, the right edge."""
    start = max(10.0**X_LOW, 10.0**frame.low / bandwidth)
    found = [(start, start * bandwidth), (peak / bandwidth, peak), (10.0**X_HIGH, peak)]
    return [(frame.x(i), frame.y(r)) for i, r in found]


def attainable(line: Line, operator: Operator) -> float | None:
    """The most that a part can attain: under its bandwidth and the peak of the units that do its operations."""
    peak = line.vector if operator.vector else line.peak
    return None if peak is None else min(peak, operator.intensity * line.bandwidth)


def guides(frame: Frame, operators: Sequence[Operator]) -> list[tuple[float, float]]:
    """Where the operators' guides and their numbers stand: numbers keep apart, in the order of the intensities."""
    order = sorted(range(len(operators)), key=lambda i: (operators[i].intensity, i))
    at = [frame.x(operators[i].intensity) for i in order]
    placed: list[float] = []
    for x in at:
        placed.append(max(x, placed[-1] + _ROOM) if placed else max(x, LEFT + 4.0))
    limit = WIDTH - RIGHT - 4.0
    for index in range(len(placed) - 1, -1, -1):
        placed[index] = min(placed[index], limit)
        limit = placed[index] - _ROOM
    found = [(0.0, 0.0)] * len(operators)
    for place, x, label in zip(order, at, placed, strict=True):
        found[place] = (x, label)
    return found


def draw(lines: Sequence[Line], operators: Sequence[Operator], identity: str, title: str, description: str) -> Markup:
    """The drawing as SVG; nothing where there is no roof."""
    if not lines:
        return Markup()
    frame = Frame.around(lines)
    parts = [
        Markup(
            '<svg class="roofline explorer" viewBox="0 0 {} {}" role="img" aria-labelledby="{id}-title {id}-desc">'
            '<title id="{id}-title">{}</title><desc id="{id}-desc">{}</desc>'
        ).format(WIDTH, HEIGHT, title, description, id=identity),
        *_grid(frame),
    ]
    for operator, (x, label) in zip(operators, guides(frame, operators), strict=True):
        parts.append(
            Markup('<polyline class="guide" points="{:.1f},{} {:.1f},{} {:.1f},{}"/>'
                   '<text class="guide" x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(
                x, HEIGHT - BOTTOM, x, TOP, label, TOP - 10, label, TOP - 14, operator.number)
        )  # fmt: skip
    for number, line in enumerate(lines):
        parts += _roof(frame, number, line, operators)
    for number, line in enumerate(lines):
        parts.append(_name(number, line, len(lines)))
    return Markup("\n").join([*parts, Markup("</svg>")])


def _roof(frame: Frame, number: int, line: Line, operators: Sequence[Operator]) -> list[Markup]:
    parts = []
    for peak, style in ((line.vector, " dashed"), (line.peak, "")):
        if peak is not None:
            corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in points(frame, line.bandwidth, peak))
            parts.append(
                Markup('<polyline class="roof-{}{}" points="{}"><title>{}</title></polyline>').format(
                    number, style, corners, f"{line.name}, {'vector units' if style else 'matrix units'}")
            )  # fmt: skip
    for operator in operators:
        rate = attainable(line, operator)
        if rate is not None:
            parts.append(
                Markup('<circle class="roof-{}{}" cx="{:.1f}" cy="{:.1f}" r="5"><title>{}</title></circle>').format(
                    number, " hollow" if operator.vector else "", frame.x(operator.intensity), frame.y(rate),
                    f"{operator.number} {operator.name} on {line.name}")
            )  # fmt: skip
    return parts


def _name(number: int, line: Line, many: int) -> Markup:
    """The name of a roof, in the corner that no roof reaches."""
    return Markup('<text class="name" x="{}" y="{}" text-anchor="end">{} <tspan class="roof-{}">●</tspan></text>').format(
        WIDTH - RIGHT - 10, HEIGHT - BOTTOM - 14 - 18 * (many - 1 - number), line.name, number)  # fmt: skip


def _grid(frame: Frame) -> list[Markup]:
    parts = []
    line = Markup('<line class="grid" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>')
    for power in range(X_LOW, X_HIGH + 1):
        x = frame.x(10.0**power)
        parts.append(line.format(x, TOP, x, HEIGHT - BOTTOM))
        parts.append(Markup('<text class="tick" x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(
            x, HEIGHT - BOTTOM + 18, _power(power)))  # fmt: skip
    for power in range(frame.low, frame.high + 1):
        y = frame.y(10.0**power)
        parts.append(line.format(LEFT, y, WIDTH - RIGHT, y))
        parts.append(Markup('<text class="tick" x="{}" y="{:.1f}" text-anchor="end">{}</text>').format(
            LEFT - 8, y + 4, _power(power - 12)))  # fmt: skip
    parts.append(
        Markup('<text class="axis" x="{}" y="{}" text-anchor="middle">arithmetic intensity, operations per byte</text>')
        .format((LEFT + WIDTH - RIGHT) // 2, HEIGHT - 12)
    )  # fmt: skip
    parts.append(
        Markup('<text class="axis" transform="translate(16 {}) rotate(-90)" text-anchor="middle">'
               "attainable rate, 10¹² operations per second</text>").format((TOP + HEIGHT - BOTTOM) // 2)
    )  # fmt: skip
    return parts


def _power(exponent: int) -> str:
    return f"{10**exponent:,}" if exponent >= 0 else f"{10.0**exponent:.{-exponent}f}"
