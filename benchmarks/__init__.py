"""Speed, as ratios to lower bounds measured in the same run: ``python -m benchmarks`` or ``make bench``."""
