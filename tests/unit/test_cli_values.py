"""How single values are rounded for people."""

import pytest

from ridgeline.cli.values import rounded


@pytest.mark.parametrize(
    ("printed", "short"),
    [
        ("147.672", "147.7"),
        ("295.343", "295.3"),
        ("3.35", "3.35"),
        ("1.024", "1.024"),
        ("68976648192", "68976648192"),
        ("1978.85952", "1979"),
        ("0.0123456", "0.01235"),
        ("-2.71828", "-2.718"),
        ("9999.95", "10000"),
        ("12345.6", "12346"),
        ("1.5e20", "1.5e20"),
        ("[1, 2]", "[1, 2]"),
    ],
)
def test_four_digits_are_quoted(printed: str, short: str) -> None:
    assert rounded(printed) == short
