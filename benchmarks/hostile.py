"""Formulas that strangers could write to keep the tool busy: each must be refused, or answered, after a bounded amount of work.

A case is the formulas of a class and an expression that asks for them. All are within the limits on single formulas (500
characters, 120 tokens, 24 deep); what makes them dear is that they call each other, that their numbers are long, that they
are added up over the layers of a model, or that an equation is solved with them.
"""

from __future__ import annotations

from pathlib import Path

from ridgeline.formulas.errors import FormulaError
from ridgeline.knowledge.base import Knowledge, add
from ridgeline.knowledge.resolve import Resolver

_CLASS = """\
schema: class/1
id: hostile
name: Hostile
revision: 1
status: draft
phase: any
symbols:
  L: {unit: token, means: a length}
  x: {unit: "1", means: a number}
subjects: {m: models/many}
formulas:
"""
_MODEL = """\
schema: model/1
id: many
name: Many layers
organisation: Nobody
revision: 1
status: draft
geometry: {source: nothing, at: nowhere, checked: 2026-11-30}
vocabulary: 1000
width: 4096
context: 4096
tied_embeddings: false
final_norm_parameters: 4096
checkpoint: {total: {value: 1 param, source: nothing, at: nowhere, checked: 2026-11-30}}
layers:
"""
#: Groups of layers of the model, no two alike. A record may have 200; each adds a little to the limit on steps.
GROUPS = 3
_GROUP = (
    "  - {count: 1, attention: {kind: gqa, query_heads: 32, kv_heads: 8, head_dim: 128}, "
    "feed_forward: {kind: dense, width: %d, gated: true}, norm_parameters: 8192}\n"
)

#: Some 4,000 bits, and other ones at each x.
_LONG = "(3 * x + 1)^64 * (5 * x + 2)^64 / ((11 * x + 4)^64 * (13 * x + 5)^64)"


def _chain(step: str, first: str, count: int = 15) -> dict[str, str]:
    """Formulas h0, h1, … each made of the one before, ``{p}``."""
    found = {"h0": first}
    for n in range(1, count):
        found[f"h{n}"] = step.replace("{p}", f"h{n - 1}")
    return found


def _repeat(text: str, times: int, between: str = ", ") -> str:
    return between.join([text] * times)


_DOUBLING = "{p}(x=2*x) + {p}(x=2*x+1)"
_SOLVE = "solve for L where "

#: Name → (formulas of the class, expression). A formula that starts with ``solve for`` is an equation.
CASES: dict[str, tuple[dict[str, str], str]] = {
    "calls that double": (_chain(_DOUBLING, "x + 1"), "h14(x=1)"),
    "calls in arguments": (_chain("{p}(x={p}(x=x+1) + {p}(x=x+2))", "x + 1"), "h14(x=1)"),
    "calls with long numbers": (_chain(_DOUBLING, f"floor({_LONG})"), "h14(x=1)"),
    "many calls in one formula": (_chain(_repeat("{p}(x=x+1)", 12, " + ").replace("+1)", "+%d)") % tuple(range(12)), "x / 3"), "h14(x=1)"),
    "the least of long numbers": (
        {"long": _LONG, **_chain(_DOUBLING, f"floor(min({_repeat('long', 55)}))")}, "h14(x=1)",
    ),
    "sums of long numbers": ({"long": _LONG, **_chain(_DOUBLING, f"floor(sum({_repeat('long', 55)}))")}, "h14(x=1)"),
    "ratios of long numbers": (
        {"long": _LONG, **_chain(_DOUBLING, f"ceil(long * 9) + {_repeat('round(long / 7)', 14, ' + ')}")}, "h14(x=1)",
    ),
    "roots": (_chain(_DOUBLING, _repeat("sqrt(x + 2)", 16, " * ")), "h14(x=1)"),
    "roots of long numbers": ({"long": _LONG, **_chain(_DOUBLING, "floor(" + _repeat("sqrt(long)", 20, " * ") + ")")}, "h14(x=1)"),
    "logarithms": (_chain(_DOUBLING, _repeat("log2(x + 2)", 16, " * ")), "h14(x=1)"),
    "logarithms of long numbers": ({"long": _LONG, **_chain(_DOUBLING, _repeat("log2(long)", 20, " + "))}, "h14(x=1)"),
    "powers of intervals": (_chain(_DOUBLING, "floor(" + _repeat("sqrt(x + 2)^63 / sqrt(x + 2)^62", 6, " + ") + ")"), "h14(x=1)"),
    "powers": (_chain(_DOUBLING, "floor(" + _repeat("((x + 7) / (x + 11))^63", 7, " - ") + ")"), "h14(x=1)"),
    "a number that squares": (_chain("{p} * {p}", "x + 1"), "h14(x=1)"),
    "minus, many times": (_chain("-(-(-(-(-(-({p}))))))", "x"), "h14(x=1)"),
    "units": (_chain(_DOUBLING, _repeat("num(as(x, GB^9/kbit^8*TB^9), MB^9*GB^9/kbit^8)", 8, " + ")), "h14(x=1)"),
    "totals": (_chain(_DOUBLING, "total(parameters_per_layer * x)"), "h14(m, x=1)"),
    "totals of totals": (_chain("total({p} + {p}(x=x+1))", "parameters_per_layer * x"), "h14(m, x=1)"),
    "totals of calls": (_chain(f"total({_repeat('{p}(x=x+1)', 9, ' + ')})", "d_ff * x"), "h14(m, x=1)"),
    "equations in equations": (
        {"h0": _SOLVE + "L^3 = 8", **{f"h{n}": f"{_SOLVE}L^3 = h{n - 1}^3 + L" for n in range(1, 30)}}, "h29(L=1)",
    ),
    "an equation with a long side": (
        {"h": f"{_SOLVE}L^3 + {_repeat('ceil(L / 7) * L', 12, ' + ')} = 10^30"}, "h",
    ),
    "an equation with roots": ({"h": f"{_SOLVE}{_repeat('sqrt(L + 3)', 12, ' + ')} + L = 10^9"}, "h"),
    "an equation with logarithms": ({"h": f"{_SOLVE}{_repeat('log2(L + 3)', 12, ' + ')} + L = 10^9"}, "h"),
    "an equation between polynomials": (
        {"h": f"{_SOLVE}{_repeat('(L + 1/3)^4 / (L + 1/7)^4', 5, ' + ')} = 10^30"}, "h",
    ),
    "an equation between long fractions": (
        {"h": f"{_SOLVE}{' + '.join(f'{10**30 + n}/{10**29 + 7 * n}/(L + {10**28 + n}/{10**27 + n})' for n in range(3))} = 3"}, "h",
    ),
    "an equation that opens without end": ({**_chain("{p} + {p}", "L"), "h": f"{_SOLVE}h14 = 7"}, "h"),
    "an equation far below names": ({**_chain("-(-(-(-({p} + 1))))", "L"), "h": f"{_SOLVE}h14 = 7"}, "h"),
    "a name that is nearly many": (
        {f"quantity_of_some_kind_number_{n}_of_{n % 7}": "x" for n in range(900)}, "quantity_of_some_kind_number_x_of_y",
    ),
    "brackets": ({"h": "x"}, "(" * 400 + "1" + ")" * 90),
    "digits": ({"h": "x"}, "9" * 480),
    "a power tower": ({"h": "x"}, "9^9^9^9"),
    "tokens": ({"h": "x"}, "1" + "+1" * 200),
}  # fmt: skip


def knowledge(formulas: dict[str, str], groups: int = GROUPS) -> Knowledge:
    """A model with some groups of layers, and a class with these formulas."""
    lines = []
    for name, text in formulas.items():
        if text.startswith(_SOLVE):
            lines.append(f'  {name}: {{unit: token, solve: {{for: L, where: "{text.removeprefix(_SOLVE)}"}}}}\n')
        else:
            lines.append(f'  {name}: {{is: "{text}"}}\n')
    found = Knowledge(Path("/nowhere"))
    add(found, "records/classes/hostile.yaml", _CLASS + "".join(lines))
    add(found, "records/models/many.yaml", _MODEL + "".join(_GROUP % (1000 + n) for n in range(groups)))
    if found.findings:
        raise AssertionError(found.findings[0].message)
    return found


def resolver(case: str, groups: int = GROUPS) -> Resolver:
    """A resolver that has seen nothing but the names that the records of a case have."""
    found = Resolver(knowledge(CASES[case][0], groups))
    found.namespace("models/many")
    return found


def ask(case: str, resolver: Resolver) -> str:
    """What the tool answers: the words of its refusal, candidates included, or the value."""
    scope = resolver.scope_of(resolver.knowledge.entries["classes/hostile"])
    try:
        return f"{float(resolver.evaluate(CASES[case][1], scope).quantity):g}"
    except FormulaError as error:
        return str(error)
