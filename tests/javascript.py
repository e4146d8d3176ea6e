"""Expressions that our writer made, evaluated by Node as the site's pages will."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence

_SCRIPT = (
    "const chunks = []; process.stdin.on('data', (c) => chunks.push(c)).on('end', () => {"
    "const [v, list] = JSON.parse(Buffer.concat(chunks).toString());"
    "process.stdout.write(JSON.stringify(list.map((e) => new Function('v', 'return ' + e)(v))));});"
)


def of_module(text: str, expression: str) -> str:
    """The expression, ``m`` being what a module of ours exports: constants and functions that stand at the start of a line."""
    names = re.findall(r"^export (?:const|function) (\w+)", text, re.M)
    body = re.sub(r"^export ", "", text, flags=re.M)
    return f"((m) => ({expression}))((() => {{ 'use strict'; {body} return {{{', '.join(names)}}}; }})())"


def evaluated(values: Mapping[str, float], expressions: Sequence[str]) -> list[float]:
    """The value of each expression, ``v`` being the mapping of values."""
    node = shutil.which("node")
    assert node is not None, "Node is needed: it reads the formulas as the site's pages will"
    sent = json.dumps([values, expressions])
    ran = subprocess.run([node, "-e", _SCRIPT], input=sent, capture_output=True, text=True, check=True, timeout=60)
    found: list[float] = json.loads(ran.stdout)
    return found
