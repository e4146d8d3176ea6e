"""Printed numerals and exact intervals; units and dimensions."""

from ridgeline.numbers.compare import holds, tie
from ridgeline.numbers.reader import read, to_json
from ridgeline.numbers.restyle import restyle

__all__ = ["holds", "read", "restyle", "tie", "to_json"]
