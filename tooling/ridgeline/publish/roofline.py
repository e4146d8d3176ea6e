"""The roofline of an accelerator as an SVG drawing: attainable rate against arithmetic intensity, both on log scales.

Colours are CSS classes, so the drawing follows the page's scheme and prints. Nothing is drawn that the table under it
does not say in numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

WIDTH, HEIGHT = 840, 430
LEFT, RIGHT, TOP, BOTTOM = 74, 296, 16, 54
_LABEL = 15.0  # least distance of two labels' base lines


@dataclass(frozen=True, slots=True)
class Roof:
    """One peak: ``rate`` in operations/s, ``label`` the row's name, ``shown`` the rate and ``ridge`` the ridge point.

    ``counts`` is what the operations are (``flop``, ``op``): peaks of two kinds never share a label.
    """

    label: str
    rate: float
    shown: str
    ridge: str
    dashed: bool = False
    counts: str = ""


@dataclass(frozen=True, slots=True)
class _Group:
    labels: tuple[str, ...]
    rate: float
    shown: str
    ridge: str
    dashed: bool
    counts: str


@dataclass(frozen=True, slots=True)
class _Axis:
    low: int  # powers of ten
    high: int
    start: float
    end: float

    def at(self, value: float) -> float:
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def roofline(name: str, bandwidth: float, bandwidth_shown: str, roofs: Sequence[Roof], identity: str) -> Markup:
    """The drawing, or nothing where there is no bandwidth or no peak. ``identity`` makes its ids unique on a page."""
    usable = [r for r in roofs if r.rate > 0 and math.isfinite(r.rate)]
    if not usable or not bandwidth > 0 or not math.isfinite(bandwidth):
        return Markup()
    groups = _grouped(usable)
    ridges = [g.rate / bandwidth for g in groups]
    x = _Axis(
        math.floor(math.log10(min(ridges))) - 1, math.ceil(math.log10(max(ridges) * 2.5)), LEFT, WIDTH - RIGHT
    )  # fmt: skip
    bottom = min(10**x.low * bandwidth, groups[-1].rate / 3)
    y = _Axis(
        math.floor(math.log10(bottom)), math.ceil(math.log10(groups[0].rate * 1.05)), HEIGHT - BOTTOM, TOP
    )  # fmt: skip
    title = Markup("Roofline of {}").format(name)
    parts = [
        Markup(
            '<svg class="roofline" viewBox="0 0 {} {}" role="img" aria-labelledby="{id}-title {id}-desc">'
            '<title id="{id}-title">{}</title><desc id="{id}-desc">{}</desc>'
        ).format(WIDTH, HEIGHT, title, _description(bandwidth_shown, groups), id=identity),
        _grid(x, y),
        *_roofs(groups, bandwidth, x, y),
        _bandwidth_label(bandwidth, bandwidth_shown, x, y),
        Markup("</svg>"),
    ]
    return Markup("\n").join(parts)


def _grouped(roofs: Sequence[Roof]) -> list[_Group]:
    """Equal peaks of one path share a line and a label; the highest come first."""
    found: list[_Group] = []
    for roof in sorted(roofs, key=lambda r: (-r.rate, r.dashed, r.counts, r.label)):
        last = found[-1] if found else None
        key = (roof.rate, roof.dashed, roof.counts)
        if last is not None and (last.rate, last.dashed, last.counts) == key:
            found[-1] = replace(last, labels=(*last.labels, roof.label))
        else:
            found.append(_Group((roof.label,), roof.rate, roof.shown, roof.ridge, roof.dashed, roof.counts))
    return found


def _description(bandwidth: str, groups: Sequence[_Group]) -> str:
    roofs = "; ".join(f"{', '.join(g.labels)}: {g.shown}, ridge point {g.ridge}" for g in groups)
    return f"Memory bandwidth {bandwidth}. Peaks: {roofs}."


def _power(exponent: int, shift: int = 0) -> str:
    value = exponent - shift
    return f"{10**value:,}" if value >= 0 else f"{10.0**value:.{-value}f}"


def _grid(x: _Axis, y: _Axis) -> Markup:
    parts: list[Markup] = []
    line = Markup('<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>')
    for power in range(x.low, x.high + 1):
        at = x.at(10.0**power)
        parts.append(line.format("grid", at, TOP, at, HEIGHT - BOTTOM))
        parts.append(
            Markup('<text class="tick" x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(
                at, HEIGHT - BOTTOM + 18, _power(power)
            )
        )
    for power in range(y.low, y.high + 1):
        at = y.at(10.0**power)
        parts.append(line.format("grid", LEFT, at, WIDTH - RIGHT, at))
        parts.append(
            Markup('<text class="tick" x="{}" y="{:.1f}" text-anchor="end">{}</text>').format(
                LEFT - 8, at + 4, _power(power, 12)
            )
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        Markup('<text class="axis" x="{:.1f}" y="{}" text-anchor="middle">arithmetic intensity, operations per byte</text>')
        .format(middle, HEIGHT - 12)
    )  # fmt: skip
    height = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(
        Markup('<text class="axis" transform="translate(16 {:.1f}) rotate(-90)" text-anchor="middle">'
               "attainable rate, 10¹² operations per second</text>").format(height)
    )  # fmt: skip
    return Markup("\n").join(parts)


def _roofs(groups: Sequence[_Group], bandwidth: float, x: _Axis, y: _Axis) -> list[Markup]:
    parts: list[Markup] = []
    edge = WIDTH - RIGHT
    low = 10.0**x.low
    start = max(low, 10.0**y.low / bandwidth)
    lines = [y.at(g.rate) for g in groups]
    labels = _spread([at + 4 for at in lines], TOP + 8, HEIGHT - BOTTOM)
    for number, (group, at, label) in enumerate(zip(groups, lines, labels, strict=True)):
        ridge = group.rate / bandwidth
        style = f"roof roof-{number % 6}" + (" dashed" if group.dashed else "")
        points = [(x.at(start), y.at(start * bandwidth)), (x.at(ridge), at), (float(edge), at)]
        parts.append(
            Markup('<polyline class="{}" points="{}"/>').format(style, " ".join(f"{a:.1f},{b:.1f}" for a, b in points))
        )
        dot = Markup('<circle class="ridge roof-{}" cx="{:.1f}" cy="{:.1f}" r="4"><title>{}</title></circle>')
        parts.append(
            dot.format(number % 6, x.at(ridge), at, f"ridge point of {', '.join(group.labels)}: {group.ridge}")
        )
        parts.append(
            Markup('<polyline class="leader" points="{}"/>').format(
                f"{edge + 2},{at:.1f} {edge + 14},{label - 4:.1f} {edge + 18},{label - 4:.1f}"
            )
        )
        names = _short(", ".join(dict.fromkeys(group.labels))) + (" vector" if group.dashed else "")
        parts.append(
            Markup('<text class="label" x="{}" y="{:.1f}"><tspan class="name roof-{}">{}</tspan> {}'
                   ' <tspan class="faint">ridge {}</tspan></text>').format(
                edge + 21, label, number % 6, names, group.shown, group.ridge.split(" ")[0]
            )
        )  # fmt: skip
    return parts


def _short(text: str) -> str:
    return text if len(text) <= 16 else text[:15] + "…"


def _spread(wanted: Sequence[float], top: float, bottom: float) -> list[float]:
    """Label positions in the order given (downwards), each at least a line apart and as near as that allows."""
    placed: list[float] = []
    for at in wanted:
        placed.append(max(at, placed[-1] + _LABEL if placed else top))
    limit = bottom
    for index in range(len(placed) - 1, -1, -1):
        placed[index] = min(placed[index], limit)
        limit = placed[index] - _LABEL
    return placed


def _bandwidth_label(bandwidth: float, shown: str, x: _Axis, y: _Axis) -> Markup:
    """The bandwidth along the slope, above it, where the slope has room."""
    low = max(10.0**x.low, 10.0**y.low / bandwidth)
    at = low * 10**0.25
    angle = -math.degrees(math.atan2((y.start - y.end) / (y.high - y.low), (x.end - x.start) / (x.high - x.low)))
    return Markup('<text class="slope" transform="translate({:.1f} {:.1f}) rotate({:.1f})">memory {}</text>').format(
        x.at(at) - 6, y.at(at * bandwidth) - 7, angle, shown
    )
