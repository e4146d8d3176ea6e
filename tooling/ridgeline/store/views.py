"""Named views: the questions that people ask of the database again and again. Plain SQL, for any database."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class View:
    """A named question. ``relation`` is the view in the database; ``name`` what ``query`` calls it."""

    name: str
    relation: str
    means: str
    sql: str


_RIDGE = """
SELECT p.record AS accelerator, p.format, p.accumulate, p.path, p.sparsity,
       r.value_float AS peak, b.value_float AS bandwidth, i.value_float AS ridge,
       r.display AS peak_display, b.display AS bandwidth_display, i.display AS ridge_display, r.basis
FROM peaks p
JOIN accelerators a ON a.record = p.record
JOIN quantities r ON r.id = p.rate
JOIN quantities i ON i.id = p.ridge
LEFT JOIN quantities b ON b.id = a.bandwidth
ORDER BY p.record, p.ordinal
"""

_MODEL_LIST = """
SELECT r.name, t.value_float AS parameters_total, a.value_float AS active_parameters,
       k.value_float AS kv_bytes_per_token, x.value_float AS crossover_tokens, m.context, r.status, m.record AS model
FROM models m
JOIN records r ON r.reference = m.record
LEFT JOIN quantities t ON t.id = m.parameters_total
LEFT JOIN quantities a ON a.record = m.record AND a.name = 'parameters.active_with_embeddings'
LEFT JOIN quantities k ON k.record = m.record AND k.name = 'kv_bytes_per_token'
LEFT JOIN quantities x ON x.record = m.record AND x.name = 'L_star'
ORDER BY m.record
"""

# The crossover length is where causal prefill attention costs as many operations as the layer's matrices.
_MODELS = """
SELECT m.record AS model, r.name, t.value_float AS parameters_total, c.value_float AS published_total,
       c.value_float - t.value_float AS difference,
       (SELECT COALESCE(SUM(l.value_float), 0.0) FROM ledger l WHERE l.record = m.record) AS difference_explained,
       (SELECT SUM(y.layers) FROM layers y WHERE y.record = m.record) AS layers,
       k.value_float AS kv_bytes_per_token, w.value_float AS weight_bytes, f.value_float AS linear_flops_per_token,
       a.value_float AS active_parameters, b.value_float AS kv_bytes_per_token_beyond_window,
       s.value_float AS state_bytes, p.value_float / d.value_float AS linear_parameters_per_layer,
       x.value_float AS crossover_tokens
FROM models m
JOIN records r ON r.reference = m.record
LEFT JOIN quantities t ON t.id = m.parameters_total
LEFT JOIN quantities c ON c.id = m.checkpoint_total
LEFT JOIN quantities k ON k.record = m.record AND k.name = 'kv_bytes_per_token'
LEFT JOIN quantities w ON w.record = m.record AND w.name = 'weight_bytes'
LEFT JOIN quantities f ON f.record = m.record AND f.name = 'linear_flops_per_token'
LEFT JOIN quantities a ON a.record = m.record AND a.name = 'parameters.active_with_embeddings'
LEFT JOIN quantities b ON b.record = m.record AND b.name = 'kv_bytes_per_token_beyond_window'
LEFT JOIN quantities s ON s.record = m.record AND s.name = 'state_bytes'
LEFT JOIN quantities p ON p.record = m.record AND p.name = 'linear_parameters'
LEFT JOIN quantities d ON d.record = m.record AND d.name = 'n_layers'
LEFT JOIN quantities x ON x.record = m.record AND x.name = 'L_star'
ORDER BY m.record
"""

_ROUTES = """
SELECT a.record, a.name AS quantity, b.name AS second_route, a.display AS quantity_display,
       b.display AS second_display, a.value_float / b.value_float - 1.0 AS difference,
       COALESCE((SELECT p.differs FROM peaks p WHERE p.record = a.record AND p.rate = a.id),
                (SELECT d.memory_differs FROM accelerators d WHERE d.record = a.record AND a.id IN (d.bandwidth, d.capacity)),
                (SELECT o.differs FROM on_chip o WHERE o.record = a.record AND a.id IN (o.total, o.bandwidth_total))) AS why
FROM quantities a
JOIN quantities b ON b.record = a.record AND (
       b.name = a.name || '.route' OR b.name = a.name || '_route' OR (a.name = 'memory.bandwidth' AND b.name = 'memory.route')
       OR (a.name = 'per_direction' AND b.name = 'route') OR (a.name = 'stated_bits' AND b.name = 'bits'))
WHERE a.value_float IS NOT NULL AND b.value_float IS NOT NULL AND b.value_float <> 0
UNION ALL
SELECT a.record, a.name, 'twice ' || b.name, a.display, b.display, a.value_float / (2.0 * b.value_float) - 1.0, NULL
FROM quantities a
JOIN quantities b ON b.record = a.record AND b.value_float IS NOT NULL AND b.value_float <> 0 AND (
       (a.name = 'aggregate' AND b.name = 'per_direction')
       OR (a.name LIKE 'links.%.aggregate' AND b.name = REPLACE(a.name, '.aggregate', '.per_direction')))
WHERE a.value_float IS NOT NULL
UNION ALL
SELECT l.record, q.name, 'links times ' || i.record || ' per_direction', q.display, p.display,
       q.value_float / (n.value_float * p.value_float) - 1.0, l.differs
FROM links l
JOIN interconnects i ON i.record = 'interconnects/' || l.interconnect
JOIN quantities q ON q.id = l.per_direction AND q.value_float IS NOT NULL
JOIN quantities n ON n.id = l.count AND n.value_float IS NOT NULL AND n.value_float <> 0
JOIN quantities p ON p.id = i.per_direction AND p.value_float IS NOT NULL AND p.value_float <> 0
LEFT JOIN quantities e ON e.id = i.efficiency
WHERE e.value_float IS NULL OR e.value_float = 1.0
UNION ALL
SELECT c.record, c.name, 'parameters.total and its ledger', c.display, t.display,
       c.value_float / (t.value_float
           + (SELECT COALESCE(SUM(l.value_float), 0.0) FROM ledger l WHERE l.record = m.record)) - 1.0, NULL
FROM models m
JOIN quantities c ON c.id = m.checkpoint_total AND c.value_float IS NOT NULL
JOIN quantities t ON t.id = m.parameters_total AND t.value_float IS NOT NULL
ORDER BY 1, 2
"""

_UNVERIFIED = """
SELECT q.record, r.path, q.line, q.name AS what, q.text, q.basis AS status, q.reason
FROM quantities q JOIN records r ON r.reference = q.record
WHERE q.basis IN ('unverified', 'unknown')
UNION ALL
SELECT f.record, r.path, f.line, p.field, f.text, f.status, f.reason
FROM figures f JOIN passages p ON p.id = f.passage JOIN records r ON r.reference = f.record
WHERE f.status = 'unverified'
UNION ALL
SELECT f.record, r.path, f.line, f.field, f.text, 'unverified', f.reason
FROM facts f JOIN records r ON r.reference = f.record
WHERE f.source IS NULL
ORDER BY 1, 3, 4
"""

_UNCOVERED = """
SELECT f.record, r.path, f.line, f.col, p.field, f.text, f.unit, f.kind
FROM figures f JOIN passages p ON p.id = f.passage JOIN records r ON r.reference = f.record
WHERE f.status = 'uncovered'
ORDER BY f.record, f.line, f.col
"""

_STALE = """
SELECT q.checked, q.record, r.path, q.line, q.name AS what, q.text, q.source, q.locator
FROM quantities q JOIN records r ON r.reference = q.record
WHERE q.checked IS NOT NULL
UNION ALL
SELECT f.checked, f.record, r.path, f.line, f.field, f.text, f.source, f.locator
FROM facts f JOIN records r ON r.reference = f.record
WHERE f.checked IS NOT NULL
UNION ALL
SELECT f.checked, f.record, r.path, f.line, p.field, f.text, f.source, f.locator
FROM figures f JOIN passages p ON p.id = f.passage JOIN records r ON r.reference = f.record
WHERE f.checked IS NOT NULL
ORDER BY 1, 2, 4
"""

_FIGURES = """
SELECT f.record, r.path, f.line, f.col, p.field, f.text, f.unit, f.status, f.grade, f.expression, f.equation,
       f.computed_display AS computed, f.because, f.source, f.rule, f.reason, f.holds, f.waived
FROM figures f JOIN passages p ON p.id = f.passage JOIN records r ON r.reference = f.record
ORDER BY f.id
"""

_ORIGIN = """
CASE WHEN q.basis = 'unverified' THEN 'unverified' WHEN s.kind = 'secondary' THEN 'secondary' ELSE 'first-party' END"""
_STATED = """
FROM quantities q JOIN records r ON r.reference = q.record LEFT JOIN sources s ON s.id = q.source
WHERE q.basis IN ('recorded', 'measured', 'unverified') AND q.text IS NOT NULL"""

_ORIGINS = f"""
SELECT r.kind, {_ORIGIN.strip()} AS origin, COUNT(*) AS stated,
       COUNT(*) * 1.0 / SUM(COUNT(*)) OVER (PARTITION BY r.kind) AS share
{_STATED.strip()}
GROUP BY 1, 2
ORDER BY 1, 2
"""

_SECOND_HAND = f"""
SELECT q.record, r.path, q.line, q.name AS what, q.text, {_ORIGIN.strip()} AS origin, q.source, q.locator, q.reason
{_STATED.strip()} AND (q.basis = 'unverified' OR s.kind = 'secondary')
ORDER BY q.record, q.line, q.name
"""

_CONCLUSIONS = """
SELECT c.record, r.path, c.line, c.col, p.field, c.text, c.claim, c.left_display, c.right_display, c.holds, c.waived
FROM conclusions c JOIN passages p ON p.id = c.passage JOIN records r ON r.reference = c.record
ORDER BY c.id
"""

_DEPENDS = """
SELECT 'quantity' AS kind, q.record, q.name AS what, q.line, i.record AS rests_on_record, i.name AS rests_on,
       i.field AS rests_on_field, i.text AS rests_on_text
FROM quantities q
JOIN dependencies d ON d.derivation = q.derivation
JOIN quantities i ON i.id = d.quantity
WHERE i.id <> q.id
UNION ALL
SELECT 'figure', f.record, p.field || ': ' || f.text, f.line, i.record, i.name, i.field, i.text
FROM figures f
JOIN passages p ON p.id = f.passage
JOIN dependencies d ON d.derivation = f.derivation
JOIN quantities i ON i.id = d.quantity
UNION ALL
SELECT 'conclusion', c.record, c.claim, c.line, i.record, i.name, i.field, i.text
FROM conclusions c
JOIN dependencies d ON d.derivation IN (c.left_side, c.right_side)
JOIN quantities i ON i.id = d.quantity
UNION ALL
SELECT 'ledger', l.record, l.formula, NULL, i.record, i.name, i.field, i.text
FROM ledger l
JOIN dependencies d ON d.derivation = l.derivation
JOIN quantities i ON i.id = d.quantity
"""

VIEWS: tuple[View, ...] = (
    View("ridge", "ridge", "peak, bandwidth and ridge point of every peak of every accelerator, in base units", _RIDGE),
    View("models", "model_list", "parameters, active ones, cache for a token and context of each model", _MODEL_LIST),
    View(
        "model-summary",
        "model_summary",
        "parameters counted and published, cache, state and weight bytes of each model",
        _MODELS,
    ),
    View(
        "two-routes",
        "two_routes",
        "quantities that can be reached twice, and how far the two routes are apart",
        _ROUTES,
    ),
    View("unverified", "unverified", "values without a source, and places where no value stands", _UNVERIFIED),
    View("uncovered", "uncovered", "numerals of which nothing says what they are", _UNCOVERED),
    View("stale", "stale", "values by the day they were last read in their source, oldest first", _STALE),
    View("origins", "origin_share", "stated values by kind of record and of source, with each one's share", _ORIGINS),
    View("second-hand", "second_hand", "stated values that no first-party source was read for", _SECOND_HAND),
    View(
        "conclusions", "conclusion_list", "what sentences conclude from two values, and whether it holds", _CONCLUSIONS
    ),
    View("figures", "figure_list", "every numeral of the prose with its status and what was computed", _FIGURES),
    View("depends", "depends", "which quantity or figure rests on which recorded value", _DEPENDS),
)
BY_NAME: dict[str, View] = {view.name: view for view in VIEWS}
