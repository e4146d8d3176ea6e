"""Bases of any size, made from the repository's own records.

Sources, formats and interconnects are taken once. Accelerators, models and classes are copied again and again: each
copy has an id and a name of its own, refers to the copies of its own generation, and has numbers of its own that still
agree:

* a model's vocabulary grows, and its published parameter total with it, where no prose quotes either;
* a power limit moves, where no prose quotes it;
* a class is no part of a step, of which its original counts the work already;
* a die is one of its own generation, so that as many parts share it as in the original;
* a new section of prose states equations over random operands, with the right results.

The same arguments give the same bytes.
"""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

SHARED = ("sources", "formats", "interconnects")
COPIED = ("accelerators", "models", "classes")  # in this order: a class refers to the other two
SENTENCES = 3  # of three numerals each, in every copy


@dataclass(frozen=True)
class Base:
    """A root with ``records/`` below it."""

    root: Path
    records: int

    def paths(self) -> list[Path]:
        return sorted(self.root.glob("records/*/*.yaml"))

    def some(self, kind: str) -> Path:
        """The last copy of a kind, by name."""
        return sorted(self.root.glob(f"records/{kind}/*.yaml"))[-1]


def write(repository: Path, root: Path, records: int) -> Base:
    """Write a base of so many records below a root that must not exist yet.

    Of a repository with more records than that, as many are taken as refer to nothing outside themselves. Raises
    ``ValueError`` where it has none to copy.
    """
    own = _closed(sorted(repository.glob("records/*/*.yaml")), records)
    for path in own:
        (root / "records" / path.parent.name).mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / "records" / path.parent.name)
    if (repository / "schema").is_dir():
        shutil.copytree(repository / "schema", root / "schema")
    originals = [path for kind in COPIED for path in own if path.parent.name == kind]
    if not originals and records > len(own):
        raise ValueError("the repository has no records to copy")
    ids, prose = [path.stem for path in originals], _prose(originals)
    for generation, path in _endlessly(originals, records - len(own)):
        text = copy(path.read_text(encoding="utf-8"), ids, generation, prose)
        target = root / "records" / path.parent.name / f"{_renamed(path.stem, generation)}.yaml"
        target.write_text(text, encoding="utf-8")
    return Base(root, records)


def _closed(own: list[Path], limit: int) -> list[Path]:
    """All records, or, of more than the limit, the largest of each kind first, each with all that it names."""
    if len(own) <= limit:
        return own
    by_id = {path.stem: path for path in own}
    words = {path: set(re.findall(r"[a-z0-9]+(?:[.-][a-z0-9]+)*", path.read_text(encoding="utf-8"))) for path in own}
    chosen: set[Path] = set()
    order = {folder: place for place, folder in enumerate((*reversed(COPIED), *SHARED))}
    for path in sorted(own, key=lambda p: (order.get(p.parent.name, len(order)), -p.stat().st_size, p.name)):
        wanted, todo = {path}, [path]
        while todo:
            new = {by_id[word] for word in words[todo.pop()] & set(by_id)} - wanted
            wanted |= new
            todo += new
        if len(chosen | wanted) <= limit:
            chosen |= wanted
    return sorted(chosen)


def _endlessly(originals: list[Path], count: int) -> Iterator[tuple[int, Path]]:
    for number in range(count):
        yield number // len(originals) + 1, originals[number % len(originals)]


def _renamed(identity: str, generation: int) -> str:
    return f"{identity}-v{generation:04d}"


def _prose(paths: list[Path]) -> str:
    """All block literals of the records: where a number may be quoted."""
    block = re.compile(r": [|>][-+]?\n((?:[ ]+.*\n|\n)+)")
    return "\n".join(found for path in paths for found in block.findall(path.read_text(encoding="utf-8")))


def copy(text: str, ids: list[str], generation: int, prose: str) -> str:
    """The text of a record as a copy of the given generation. ``prose`` is where a number may be quoted."""
    identity = _field(text, "id")
    chance = random.Random(f"{identity}/{generation}")
    # An id stands bare or after its kind, never inside an address or another id, and is no key.
    pattern = "|".join(map(re.escape, sorted(ids, key=len, reverse=True)))
    text = re.sub(
        rf"(?<![\w./-])((?:accelerators|models|classes)/)?({pattern})(?![\w:-]|\.[\w-])",
        lambda match: (match[1] or "") + _renamed(match[2], generation),
        text,
    )
    text = re.sub(r"(?m)^(name: )(.*?)(['\"]?)$", rf"\1\2, variant {_letters(generation)}\3", text, count=1)
    text = re.sub(r"(?m)^(?:formerly|also_called): \[.*\]\n", "", text)
    text = re.sub(r"(?m)^(?:formerly|also_called):\n(?:[ ]*- .*\n)+", "", text)
    text = _PART.sub("", text)
    text = _DIE.sub(rf"\g<0>-{generation}", text, count=1)
    text = _more_vocabulary(text, generation, prose)
    text = _other_power(text, generation, prose)
    return _with_section(text, sentences(chance))


#: The die of an accelerator, up to the end of its name.
_DIE = re.compile(r"(?m)^die:[ ]*(?:\{|\n[ ]+)value: ['\"]?[^,'\"}\n]+")


#: What work of which step a class counts: a copy would count it a second time.
_PART = re.compile(r"(?m)^(?:part_of|covers):(?: \[[^\]]*\]\n|\n(?:[ ]*- .*\n)+)")


def _letters(number: int) -> str:
    letters = ""
    while number:
        number, digit = divmod(number - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters


def _field(text: str, name: str) -> str:
    found = re.search(rf"(?m)^{name}: *(\S+)", text)
    if found is None:
        raise ValueError(f"a record without {name}:")
    return found[1]


def _quoted(number: str, prose: str) -> bool:
    plain = number.replace(",", "")
    return plain in prose.replace(",", "")


def _more_vocabulary(text: str, generation: int, prose: str) -> str:
    """Widen the embedding table, and raise the published total by what that adds."""
    rows = re.search(r"(?m)^vocabulary: (\d+)$", text)
    width = re.search(r"(?m)^width: (\d+)$", text)
    tied = re.search(r"(?m)^tied_embeddings: (true|false)$", text)
    total = re.search(r"(?m)^checkpoint:\n(?:.*\n)*?.*?\bvalue: ['\"]?([\d,]+)", text)
    if not (rows and width and tied and total) or _quoted(rows[1], prose) or _quoted(total[1], prose):
        return text
    more = 64 * generation
    added = more * int(width[1]) * (1 if tied[1] == "true" else 2)
    grouped = f"{int(total[1].replace(',', '')) + added:,}"
    text = text[: total.start(1)] + (grouped if "," in total[1] else grouped.replace(",", "")) + text[total.end(1) :]
    return re.sub(r"(?m)^vocabulary: \d+$", f"vocabulary: {int(rows[1]) + more}", text)


def _other_power(text: str, generation: int, prose: str) -> str:
    found = re.search(r"(?m)^power:\n?(?:.*\n)?.*?\bvalue: ['\"]?(\d+) W\b", text)
    if found is None or re.search(rf"\b{found[1]} W\b", prose):
        return text
    return text[: found.start(1)] + str(int(found[1]) + generation) + text[found.end(1) :]


def _with_section(text: str, lines: list[str]) -> str:
    section = "  synthetic: |\n" + "".join(f"    {line}\n" for line in lines)
    opened = re.search(r"(?m)^text:\n", text)
    if opened:
        return text[: opened.end()] + section + text[opened.end() :]
    return text.rstrip("\n") + "\ntext:\n" + section


def sentences(chance: random.Random, count: int = SENTENCES) -> list[str]:
    """Sentences whose every numeral stands in an equation that holds."""
    forms = (_ridge, _intensity, _bytes)
    return [forms[number % len(forms)](chance) for number in range(count)]


def _ridge(chance: random.Random) -> str:
    peak = Fraction(chance.randrange(1_000, 30_000), 10)
    bandwidth = chance.randrange(300, 9_000)
    return (
        f"A device of that shape turns at {_print(peak, 1)} TFLOP/s / {bandwidth} GB/s = "
        f"{_print(peak * 1000 / bandwidth, 1)} flop/byte."
    )


def _intensity(chance: random.Random) -> str:
    work, moved = chance.randrange(10_000, 900_000), chance.randrange(100, 9_000)
    return f"One step does {work} flop / {moved} byte = {_print(Fraction(work, moved), 2)} flop/byte."


def _bytes(chance: random.Random) -> str:
    heads, width = chance.randrange(2, 129), chance.choice((64, 80, 96, 128, 192, 256))
    return f"The rows of all heads are {heads} * {width} = {heads * width} wide."


def _print(value: Fraction, places: int) -> str:
    scaled = round(value * 10**places)
    return f"{scaled // 10**places}.{scaled % 10**places:0{places}d}"


_BANDWIDTH = re.compile(
    r"(?m)^[ ]+bandwidth:[ ]*(?:\{|\n(?:[ ]+[^ \n].*\n){0,4}?[ ]+(?:- )?)value: ['\"]?[\d,]+(\.\d+)?(?= [A-Z])"
)


def touched(text: str, turn: int) -> str:
    """An accelerator's record with another memory bandwidth at each turn: more decimals than the source prints."""
    found = _BANDWIDTH.search(text)
    if found is None:
        raise ValueError("no memory bandwidth to change")
    return f"{text[: found.end()]}{'' if found[1] else '.'}{turn + 1:03d}{text[found.end() :]}"
