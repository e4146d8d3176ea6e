"""The page on which readers ask the database themselves: the shipped file, opened in the browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ridgeline.publish.downloads import DATABASE
from ridgeline.publish.page import Page, body
from ridgeline.publish.pen import Pen

ADDRESS = "sql/"
#: Questions that are no named view: what they ask, and the query.
EXAMPLES = (
    (
        "Dense ridge points, the highest first",
        "SELECT accelerator, format, peak_display, bandwidth_display, ridge_display\nFROM ridge\n"
        "WHERE sparsity = 'dense'\nORDER BY ridge DESC\nLIMIT 20",
    ),
    (
        "What rests on the memory bandwidth of one accelerator",
        "SELECT kind, record, what\nFROM depends\nWHERE rests_on_record = 'accelerators/nvidia-h100-sxm'\n"
        "  AND rests_on = 'memory.bandwidth'\nORDER BY record",
    ),
    (
        "Numerals of the prose by status",
        "SELECT status, count(*) AS numerals\nFROM figures\nGROUP BY status\nORDER BY numerals DESC",
    ),
    (
        "Models by the bytes that a token of context takes in the cache",
        "SELECT name, parameters_total, kv_bytes_per_token\nFROM model_list\nORDER BY kv_bytes_per_token",
    ),
)


def pages(pen: Callable[[str], Pen]) -> Iterator[Page]:
    """The page; its live part loads SQLite and the database when somebody asks."""
    from ridgeline.store.views import VIEWS

    here = pen(ADDRESS)
    views = [(view.means, f"SELECT * FROM {view.relation} LIMIT 100") for view in VIEWS]
    context = {"pen": here, "database": here.href(DATABASE), "examples": EXAMPLES, "views": views}
    lead = "Ask the database of these pages in SQL, in the browser."
    yield Page(ADDRESS, "SQL", lead, body("sql.html", context), scripts=("sql",))
