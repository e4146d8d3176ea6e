"""One measurement in a process of its own, so that nothing is warm: ``python -m benchmarks.child JOB ROOT``.

Prints JSON: ``seconds`` of the job itself (interpreter start and the imports of the first line left out) and facts.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any


def check(root: Path) -> tuple[float, dict[str, Any]]:
    from ridgeline.check import check

    start = time.perf_counter()
    report = check(root)
    return time.perf_counter() - start, {"report": type(report).__name__}


def drain(root: Path) -> tuple[float, dict[str, Any]]:
    import yaml  # noqa: F401

    from benchmarks.floors import drain

    paths = sorted(root.glob("records/*/*.yaml"))
    start = time.perf_counter()
    events = drain(paths)
    return time.perf_counter() - start, {"events": events}


def main() -> None:
    job = {"check": check, "drain": drain}[sys.argv[1]]
    seconds, facts = job(Path(sys.argv[2]))
    facts["peak_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    print(json.dumps({"seconds": seconds, **facts}))


if __name__ == "__main__":
    main()
