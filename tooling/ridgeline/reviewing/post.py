"""The privileged half: from the event that a check has ended to one comment and a few suggestions.

Nothing of the artifact decides where something is posted. The run that ended is GitHub's word; the pull request that the
artifact names must have that run's commit as its head, from that run's repository.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from ridgeline.reviewing import artifact
from ridgeline.reviewing.artifact import Refused, Review, Suggestion
from ridgeline.reviewing.github import Api, ApiError
from ridgeline.reviewing.harmless import harmless
from ridgeline.reviewing.patch import Hunk, hunks

#: By this, and by its author, the next run finds the comment that it replaces.
MARK = "<!-- ridgeline-diff -->"
_SUGGESTED = "<!-- ridgeline-suggestion "
#: Who posts with a workflow's own token.
AUTHOR = "github-actions[bot]"
#: Suggestions on one commit; what is beyond them, and what stands on lines outside the diff, is counted in the comment.
MAX_INLINE = 20
#: GitHub refuses comments of 65,536 characters.
_MAX_BODY = 65_000
_MAX_PAGES = 30
_REPOSITORY = re.compile(r"[A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100}")
_SHA = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Run:
    """The check that ended, as GitHub tells it."""

    repository: str
    id: int
    head: str
    head_repository: str
    branch: str
    address: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done, for the log. ``commented`` is ``created``, ``updated``, ``unchanged`` or empty."""

    said: str
    commented: str = ""
    suggested: int = 0


def run_of(event: Any) -> Run | None:
    """The run of a ``workflow_run`` event; ``None`` where it is not the end of a pull request's check."""
    run = event["workflow_run"]
    if event.get("action") != "completed" or run["event"] != "pull_request" or run["conclusion"] == "cancelled":
        return None
    found = Run(
        repository=str(event["repository"]["full_name"]),
        id=int(run["id"]),
        head=str(run["head_sha"]),
        # A fork that has been deleted has no repository.
        head_repository=str((run.get("head_repository") or {}).get("full_name", "")),
        branch=str(run["head_branch"]),
        address=str(run["html_url"]),
    )
    if not _REPOSITORY.fullmatch(found.repository) or not _SHA.fullmatch(found.head):
        raise Refused("the event names no repository and commit")
    return found


def post(event: Any, api: Api, *, site: str = "", author: str = AUTHOR) -> Outcome:
    """Say what the check of a pull request found. Raises :class:`Refused`, and :class:`ApiError` where GitHub does.

    ``site`` is the address of the published site: the only links that stay, beside those into the repository itself.
    """
    run = run_of(event)
    if run is None:
        return Outcome("not the end of a pull request's check")
    archive = _archive(run, api)
    if archive is None:
        return Outcome("the check left no review")
    review = artifact.read(artifact.unpack(archive))
    pull = _pull_request(review, run, api)
    if isinstance(pull, Outcome):
        return pull
    standing, outside = _placed(review, run, api)
    sticky = _sticky(review, run, api, author)
    if not review.comment and not review.suggestions and sticky is None:
        return Outcome("nothing to say")
    suggested = _suggest(standing, review, run, api, author)
    left = outside + review.more + max(0, len(standing) - MAX_INLINE)
    body = _body(review, run, min(len(standing), MAX_INLINE), left, site)
    return Outcome(f"pull request {review.pull_request}", _comment(body, sticky, review, run, api), suggested)


def _archive(run: Run, api: Api) -> bytes | None:
    """The newest artifact of the run with our name; one that is too large is not even asked for."""
    path = f"/repos/{run.repository}/actions/runs/{run.id}/artifacts?name={artifact.NAME}"
    found = [a for a in api.pages(path, 1, "artifacts") if a["name"] == artifact.NAME and not a["expired"]]
    if not found:
        return None
    newest = max(found, key=lambda a: int(a["id"]))
    if int(newest["size_in_bytes"]) > artifact.MAX_ARCHIVE:
        raise Refused(f"the archive has more than {artifact.MAX_ARCHIVE:,} bytes")
    return api.download(f"/repos/{run.repository}/actions/artifacts/{int(newest['id'])}/zip", artifact.MAX_ARCHIVE)


def _pull_request(review: Review, run: Run, api: Api) -> Outcome | None:
    """Nothing where the pull request is the run's own and as the run saw it, else why nothing is posted."""
    if review.head != run.head:
        raise Refused("the artifact is of another commit than the run")
    try:
        pull = api.get(f"/repos/{run.repository}/pulls/{review.pull_request}")
    except ApiError as error:
        if error.status == 404:
            raise Refused("the artifact names a pull request that does not exist") from None
        raise
    head, repository = pull["head"], (pull["head"]["repo"] or {}).get("full_name", "")
    if pull["base"]["repo"]["full_name"] != run.repository:
        raise Refused("the artifact names a pull request of another repository")
    if repository != run.head_repository or head["ref"] != run.branch:
        raise Refused("the artifact names a pull request from another branch")
    if head["sha"] != run.head:
        return Outcome("the pull request has moved on: its newest check will tell")
    return Outcome("the pull request is closed") if pull["state"] != "open" else None


def _placed(review: Review, run: Run, api: Api) -> tuple[list[Suggestion], int]:
    """The suggestions whose old lines stand in the diff, word for word, and how many do not."""
    if not review.suggestions:
        return [], 0
    wanted = {s.path for s in review.suggestions}
    found: dict[str, list[Hunk]] = {}
    for file in api.pages(f"/repos/{run.repository}/pulls/{review.pull_request}/files", _MAX_PAGES):
        # A large file has no patch.
        if file["filename"] in wanted and file["status"] != "removed" and isinstance(file.get("patch"), str):
            found[file["filename"]] = hunks(file["patch"])
    standing: list[Suggestion] = []
    taken: set[tuple[str, int]] = set()
    for one in review.suggestions:
        places = {(one.path, one.line + n) for n in range(len(one.old))}
        if not taken & places and any(h.holds(one.line, one.old) for h in found.get(one.path, ())):
            standing.append(one)
            taken |= places
    return standing, len(review.suggestions) - len(standing)


def _own(comment: Any, author: str, mark: str) -> bool:
    """Whether a comment is ours. The mark alone proves nothing: anybody can write it."""
    user = comment.get("user") or {}
    return user.get("login") == author and user.get("type") == "Bot" and str(comment.get("body")).startswith(mark)


def _sticky(review: Review, run: Run, api: Api, author: str) -> Any:
    path = f"/repos/{run.repository}/issues/{review.pull_request}/comments"
    return next((c for c in api.pages(path, _MAX_PAGES) if _own(c, author, MARK)), None)


def _comment(body: str, sticky: Any, review: Review, run: Run, api: Api) -> str:
    if sticky is None:
        api.send("POST", f"/repos/{run.repository}/issues/{review.pull_request}/comments", {"body": body})
        return "created"
    if sticky["body"] == body:
        return "unchanged"
    api.send("PATCH", f"/repos/{run.repository}/issues/comments/{int(sticky['id'])}", {"body": body})
    return "updated"


def _suggest(standing: list[Suggestion], review: Review, run: Run, api: Api, author: str) -> int:
    """Post what has not been suggested before, as one review."""
    if not standing:
        return 0
    path = f"/repos/{run.repository}/pulls/{review.pull_request}/comments"
    said = {str(c["body"]).partition("\n")[0] for c in api.pages(path, _MAX_PAGES) if _own(c, author, _SUGGESTED)}
    fresh = [s for s in standing[:MAX_INLINE] if _key(s) not in said]
    if not fresh:
        return 0
    body = {"commit_id": run.head, "event": "COMMENT", "comments": [_inline(s) for s in fresh]}
    api.send("POST", f"/repos/{run.repository}/pulls/{review.pull_request}/reviews", body)
    return len(fresh)


def _key(suggestion: Suggestion) -> str:
    """First line of a suggestion's comment. Lines move: their number is no part of it."""
    parts = "\n".join((suggestion.path, *suggestion.old, "", *suggestion.new))
    return f"{_SUGGESTED}{hashlib.sha256(parts.encode()).hexdigest()[:16]} -->"


def _inline(suggestion: Suggestion) -> dict[str, Any]:
    last = suggestion.line + len(suggestion.new) - 1
    longest = max((len(run) for line in suggestion.new for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    what = "This number follows from others, and they say otherwise now."
    body = "\n".join((_key(suggestion), what, "", f"{fence}suggestion", *suggestion.new, fence))
    place: dict[str, Any] = {"path": suggestion.path, "line": last, "side": "RIGHT", "body": body}
    if last != suggestion.line:
        place |= {"start_line": suggestion.line, "start_side": "RIGHT"}
    return place


def _body(review: Review, run: Run, inline: int, left: int, site: str) -> str:
    """The comment: our own words first, so that nothing in the stranger's can hide them."""
    ours = f"https://github.com/{run.repository}"
    parts = [f"{MARK}\n_Of commit {run.head[:10]}, as its own [check]({ours}/actions/runs/{run.id}) wrote it._\n"]
    if inline:
        parts.append(f"{_counted(inline, 'stale number')} can be mended by accepting the suggestions below.\n")
    if left:
        parts.append(
            f"{_counted(left, 'more stale line' if inline else 'stale line')} that cannot be suggested here: "
            "run `ridgeline fix` and commit what it writes.\n"
        )
    if review.comment:
        parts.append(
            harmless(review.comment.replace(MARK, "", 1).lstrip("\n"), (site, f"{ours}/blob", f"{ours}/actions"))
        )
    elif not review.suggestions:
        parts.append("This pull request changes no records any more.\n")
    body = "\n".join(parts)
    if len(body) <= _MAX_BODY:
        return body
    note = "\n\n… cut: the rest is in the artifacts of the check.\n"
    return body[: body.rfind("\n", 0, _MAX_BODY - len(note))] + note


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")


__all__ = ["AUTHOR", "MARK", "MAX_INLINE", "Outcome", "Run", "post", "run_of"]
