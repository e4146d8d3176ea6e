"""A scenario: a model on some accelerators in one phase, as the sum of all workload classes that are parts of its step.

``run(Lookup(root), Setting(model=…, accelerator=…, phase="decode", count=8, batch=64, context=8192))`` gives an
:class:`Outcome`: what each part computes and moves, what binds it, the least time of a step, what stands in memory, and the
rates that nothing can pass. Every value is a derivation, down to the records; nothing is computed here but the choice of
what is added up.
"""

from __future__ import annotations

from ridgeline.scenario.outcome import Outcome, run
from ridgeline.scenario.setting import ScenarioError, Setting

__all__ = ["Outcome", "ScenarioError", "Setting", "run"]
