"""The one issue about links: opened when something is broken, rewritten by each run, closed when nothing is."""

from __future__ import annotations

from typing import Any

from ridgeline.links.report import MARK, Report, markdown
from ridgeline.reviewing.github import Api
from ridgeline.reviewing.post import AUTHOR

TITLE = "Links of sources that no longer answer"
LABEL = "links"
#: GitHub refuses texts of 65,536 characters.
_MAX_BODY = 65_000
_MAX_PAGES = 10


def tell(report: Report, api: Api, repository: str, *, author: str = AUTHOR) -> str:
    """Open, update or close the issue; says which. Issues of other people are left alone, whatever they say."""
    issue = next((i for i in api.pages(_query(repository, author), _MAX_PAGES) if _ours(i, author)), None)
    body = markdown(report)
    if len(body) > _MAX_BODY:
        body = body[: body.rfind("\n", 0, _MAX_BODY - 100)] + "\n\n… cut: the log of the run has all of it.\n"
    if issue is None:
        if not report.broken:
            return "nothing to tell"
        api.send("POST", f"/repos/{repository}/issues", {"title": TITLE, "body": body, "labels": [LABEL]})
        return "opened"
    change = {"body": body} if report.broken else {"body": body, "state": "closed", "state_reason": "completed"}
    api.send("PATCH", f"/repos/{repository}/issues/{int(issue['number'])}", change)
    return "updated" if report.broken else "closed"


def _query(repository: str, author: str) -> str:
    from urllib.parse import quote

    return f"/repos/{repository}/issues?state=open&labels={LABEL}&creator={quote(author, safe='')}"


def _ours(issue: Any, author: str) -> bool:
    user = issue.get("user") or {}
    return (
        user.get("login") == author
        and user.get("type") == "Bot"
        and "pull_request" not in issue
        and str(issue.get("body")).startswith(MARK)
    )


__all__ = ["LABEL", "TITLE", "tell"]
