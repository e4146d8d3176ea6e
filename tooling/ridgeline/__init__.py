"""Ridgeline: accelerators, models and workload classes in which every printed number is recomputed."""

__version__ = "0.1.0"
