"""The digit scanner: one linear pass; a pattern that starts at a digit, everything to its left looked at in code.

No conversion happens before the caps: :data:`MAX_DIGITS` digits a literal, :data:`MAX_EXPONENT` as exponent of ten.
"""

from __future__ import annotations

import re
from fractions import Fraction

from ridgeline.numbers.draft import Draft
from ridgeline.numbers.lazy import lazy
from ridgeline.numbers.numeral import Kind

MAX_DIGITS = 40
MAX_EXPONENT = 30
_MAX_POWER_BITS = 132  # 40 digits

THIN = "\u2009\u202f"
NO_BREAK = "\u00a0"
SPACES = " " + NO_BREAK + THIN
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")

# Everything that counts as a digit outside ASCII: other scripts, raised, lowered, circled; and vulgar fractions.
DIGIT_OUTSIDE_ASCII = (
    "(?![0-9])\\d|[²³¹⁰⁴-⁹₀-₉①-⑨⑴-⑼⒈-⒐⓪⓵-⓽⓿❶-❾➀-➈➊-➒\u1369-\u1371\u19da]"
    "|[\U00010a40-\U00010a43\U00010e60-\U00010e68\U00011052-\U0001105a\U0001f100-\U0001f10a]|[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]"
)

# Bounded, since a run may be cut short and scanned again from there; what is too long is then taken whole.
_RUN = lazy(r"[0-9][0-9,._\u2009\u202f\u00a0]{0,120}")
_LONG_RUN = lazy(r"[0-9,._]*[0-9]")
_SCIENTIFIC = lazy(
    r"[ \u00a0\u2009\u202f]?(?:[x×·⋅*]|\\times|\\cdot)[ \u00a0\u2009\u202f]?10"
    r"(?:(?:\^|\*\*)\{?([+\-−]?[0-9]+)\}?|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))"
)
_LATEX_GROUPS = lazy(r"[0-9]{1,3}(?:(?:\{,\}|\\,)[0-9]{3}){1,12}(?![0-9])(?:\.[0-9]{1,40})?")
_GROUP = lazy(r"[0-9]{3}(?![0-9])")
_SPACED_GROUP = lazy(r"[ '’][0-9]{3}(?![0-9A-Za-z]|[.,:/-][0-9])")
_POWER = lazy(r"(?:\^|\*\*)(?:\{([+\-−]?[0-9]+)\}|([+\-−]?[0-9]+))|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_EXPONENT = lazy(r"[eE]([+\-−]?[0-9]+)(?![A-Za-z_0-9])")
_TOWER = lazy(r"(?:\^|\*\*)[0-9^*{}]*")


def literal(text: str, at: int) -> Draft:
    """The unsigned number that starts at a digit: digits, grouping, decimals, exponent.

    A literal that breaks a rule comes back as an error draft (``bad_grouping``, ``too_many_digits``,
    ``exponent_too_large``) that covers all of its digits. Several dots (``2.5.1``) make a version.
    """
    run = _trimmed(text, at)
    if text[at + len(run) : at + len(run) + 2] in ("{,", "\\,") and len(run) <= 3:
        grouped = _LATEX_GROUPS.match(text, at)
        run = grouped.group() if grouped else run
    draft = Draft(at, at + len(run))
    if len(run) > MAX_DIGITS and sum(map(str.isdigit, run)) > MAX_DIGITS:
        draft.error = "too_many_digits"
        whole_run = _LONG_RUN.match(text, at)
        draft.end = draft.right = max(draft.end, whole_run.end() if whole_run else 0)
        return draft
    whole, dot, fraction = run.partition(".")
    if "." in fraction:
        draft.kind, draft.rule = Kind.VERSION, "dotted"
        if not run.replace(".", "").isdigit():
            draft.error = "bad_grouping"
        return draft
    if not whole.isdigit():
        draft.grouping = _grouping(whole)
        if not draft.grouping:
            draft.error = "bad_grouping"
            return draft
        whole = "".join(filter(str.isdigit, whole))
    if fraction and not fraction.isdigit():
        draft.error = "bad_grouping"
        return draft
    draft.digits = int(whole + fraction)
    draft.point = bool(dot)
    draft.decimals = len(fraction)
    draft.exponent = -len(fraction)
    if not dot and len(run) <= 3 and _spaced_groups(text, draft):
        return draft
    _raised(text, draft)
    return draft


def _spaced_groups(text: str, draft: Draft) -> bool:
    """``1 000 000`` with plain spaces, ``1'000``: groups that cannot be told from separate numbers are refused."""
    end, groups, sure = draft.end, 0, False
    while True:
        match = _SPACED_GROUP.match(text, end)
        if match is None or groups >= MAX_DIGITS:
            break
        groups += 1
        sure = sure or match.group()[0] != " " or match.group()[1] == "0"
        end = match.end()
    if not sure and groups < 2:
        return False
    draft.end = draft.right = end
    draft.error = "bad_grouping"
    return True


def _trimmed(text: str, at: int) -> str:
    match = _RUN.match(text, at)
    assert match is not None
    run = match.group()
    if run.isdigit():
        return run
    run = run.rstrip(",._" + THIN + NO_BREAK)
    dots = run.find("..")
    if dots >= 0:
        run = run[:dots].rstrip(",._" + THIN + NO_BREAK)
    return _cut_at_no_break(run) if NO_BREAK in run or "\u2009" in run or "\u202f" in run else run


def _cut_at_no_break(run: str) -> str:
    """A no-break space that groups nothing is only a space; so is any space after a point, comma or underscore."""
    first = run.find(NO_BREAK)
    if first > 0 and run[:first].isdigit() and (first > 3 or not _GROUP.match(run, first + 1)):
        return run[:first]
    other = re.search(r"[.,_]", run)
    first_space = re.search(r"[\u00a0\u2009\u202f]", run)
    if first_space and other and other.start() < first_space.start():
        return run[: first_space.start()].rstrip(",._")
    parts = run.split(NO_BREAK)
    if len(parts) > 1:
        tail = [len(re.split(r"[.,_\u2009\u202f]", part)[0]) for part in parts[1:]]
        if len(parts[0]) > 3 or any(size != 3 for size in tail):
            return parts[0].rstrip(",._" + THIN)
    return run


def _grouping(whole: str) -> str:
    """The name of the grouping of an integer part, or an empty string where its groups are not valid."""
    whole = whole.replace("{,}", ",").replace("\\,", "\u2009")
    separators = set(whole) - set("0123456789")
    if len(separators) != 1:
        return ""
    separator = separators.pop()
    groups = whole.split(separator)
    if not 1 <= len(groups[0]) <= 3 or len(groups[-1]) != 3 or whole[0] == "0":
        return ""
    if all(len(group) == 3 for group in groups[1:]):
        return {",": "western", "_": "underscore"}.get(separator, "space")
    if separator == "," and len(groups[0]) <= 2 and all(len(group) == 2 for group in groups[1:-1]):
        return "indian"
    return ""


def _raised(text: str, draft: Draft) -> None:
    """Take up an exponent: ``e-3``, ``× 10¹²``, ``^20``."""
    end = draft.end
    following = text[end : end + 1]
    if following in ("e", "E"):
        match = _EXPONENT.match(text, end)
        if match:
            _by_ten(draft, match.group(1), match.end())
        return
    if following and following in "^*⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺" and not draft.point:
        match = _POWER.match(text, end)
        if match:
            _by_power(text, draft, match)
            return
    if following and following in "x×·⋅*\\" + SPACES:
        match = _SCIENTIFIC.match(text, end)
        if match:
            exponent = match.group(1) or match.group(2).translate(SUPERSCRIPTS)
            _by_ten(draft, exponent, match.end())


def _exponent(printed: str) -> tuple[int, int]:
    """Sign and size of an exponent; a size over the cap is returned as the cap plus one, without converting it."""
    sign = -1 if printed[0] in "-−" else 1
    digits = printed.lstrip("+-−").lstrip("0") or "0"
    return sign, int(digits) if len(digits) <= 3 else 1000


def _by_ten(draft: Draft, printed: str, end: int) -> None:
    draft.end = draft.right = end
    sign, size = _exponent(printed)
    if size > MAX_EXPONENT:
        draft.error = "exponent_too_large"
        return
    draft.exponent += sign * size
    draft.point = True  # every digit of a mantissa is significant
    draft.rule = "scientific"


def _by_power(text: str, draft: Draft, match: re.Match[str]) -> None:
    printed = match.group(1) or match.group(2) or match.group(3).translate(SUPERSCRIPTS)
    draft.end = draft.right = match.end()
    sign, size = _exponent(printed)
    base = draft.digits
    tower = _TOWER.match(text, draft.end)
    if tower and any(map(str.isdigit, tower.group())):
        draft.end = draft.right = tower.end()
        draft.error = "exponent_too_large"
        return
    if size * base.bit_length() > _MAX_POWER_BITS * 2 or (base == 10 and size > MAX_EXPONENT):
        draft.error = "exponent_too_large"
        return
    power = base**size
    if power.bit_length() > _MAX_POWER_BITS or (sign < 0 and not base):
        draft.error = "exponent_too_large"
        return
    draft.exact = Fraction(power) if sign > 0 else Fraction(1, power)
    if base == 10:
        draft.vague, draft.rule = True, "order-of-magnitude"
    else:
        draft.rule = "exact-power"
