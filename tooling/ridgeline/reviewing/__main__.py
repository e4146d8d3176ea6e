"""``python -m ridgeline.reviewing write`` and ``post``: the two halves, as the workflows call them."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path


def main(arguments: list[str] | None = None) -> int:
    """Run one half. Exit status 1 where an artifact is refused or GitHub does not answer, 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m ridgeline.reviewing", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    write = verbs.add_parser("write", help="unprivileged: write the review of the records below this folder")
    write.add_argument("--root", type=Path, default=Path())
    write.add_argument("--pull-request", type=int, required=True, metavar="N")
    write.add_argument("--head", required=True, metavar="SHA", help="head commit of the pull request")
    write.add_argument("--comment", type=Path, required=True, help="what ridgeline diff --format markdown wrote")
    write.add_argument("--output", type=Path, required=True, help="the file to write")
    verbs.add_parser("post", help="privileged: post the review of the run that GITHUB_EVENT_PATH tells of")
    options = parser.parse_args(arguments)
    return _write(options) if options.verb == "write" else _post()


def _write(options: argparse.Namespace) -> int:
    from ridgeline.reviewing import artifact
    from ridgeline.reviewing.suggestions import review

    comment = options.comment.read_text(encoding="utf-8")
    found = review(options.root, options.pull_request, options.head, comment)
    text = artifact.text(found)
    # What the other half would refuse is not written.
    artifact.read(text.encode())
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(comment):,} characters of comment, {len(found.suggestions) + found.more} suggestions\n")
    return 0


def _post() -> int:
    from ridgeline.reviewing.artifact import Refused
    from ridgeline.reviewing.github import ADDRESS, ApiError, Rest
    from ridgeline.reviewing.post import post

    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    api = Rest(os.environ["GITHUB_TOKEN"], os.environ.get("GITHUB_API_URL", ADDRESS))
    try:
        done = post(event, api, site=os.environ.get("SITE_URL", ""))
    except (Refused, ApiError) as error:
        # The log of a workflow takes lines that start with :: for commands; none of these texts is a stranger's.
        sys.stderr.write(f"nothing posted: {error}\n")
        return 1
    sys.stdout.write(f"{done.said}; comment: {done.commented or 'none'}; suggestions: {done.suggested}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
