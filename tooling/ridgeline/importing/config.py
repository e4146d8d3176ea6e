"""A config.json, read so that no key of it is lost: each is mapped, known to be irrelevant, or reported."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ridgeline.importing.irrelevant import IRRELEVANT

MAX_BYTES = 4_000_000
MAX_LAYERS = 5_000
#: Keys whose value is not needed for the shape where it has this one.
_INERT: tuple[object, ...] = (None, {}, [])


class ConfigError(ValueError):
    """The config cannot be mapped; the message says what is missing, with the path of the key."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a person must know about a key: not mapped, or taken from elsewhere than the config."""

    path: str
    message: str
    mapped: bool = False


@dataclass
class Config:
    """One mapping of a config. ``path`` is where it stands: ``""``, or ``text_config.``"""

    data: Mapping[str, Any]
    path: str = ""
    used: set[str] = field(default_factory=set)
    remarks: list[Remark] = field(default_factory=list)
    children: list[Config] = field(default_factory=list)

    def has(self, key: str) -> bool:
        """Whether the config states a key, and not as null."""
        return self.data.get(key) is not None

    def raw(self, *keys: str) -> tuple[str, Any]:
        """The first of some keys that the config states, and its value; all of them count as mapped."""
        self.used.update(keys)
        for key in keys:
            if self.data.get(key) is not None:
                return key, self.data[key]
        return keys[0], None

    def integer(self, *keys: str, default: int | None = None) -> int:
        """A positive integer under one of some keys; the default is that of the family's code, and remarked on."""
        key, value = self.raw(*keys)
        if value is None:
            if default is None:
                raise ConfigError(f"{self.path}{key} is missing: the shape does not follow without it")
            self.remark(key, f"not stated; {default} is the default of the family's code")
            return default
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= 10**12:
            raise ConfigError(f"{self.path}{key}: {_shown(value)} is no positive integer")
        return value

    def count(self, *keys: str) -> int:
        """A number that may be nought, which it is where nothing is stated."""
        key, value = self.raw(*keys)
        if value is None:
            return 0
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 10**12:
            raise ConfigError(f"{self.path}{key}: {_shown(value)} is no count")
        return value

    def maybe(self, *keys: str) -> int | None:
        """An integer, or ``None`` where the config states none."""
        key, value = self.raw(*keys)
        return None if value is None else self.integer(key)

    def flag(self, *keys: str, default: bool) -> bool:
        """True or false; the family's default where the config says neither."""
        key, value = self.raw(*keys)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise ConfigError(f"{self.path}{key}: {_shown(value)} is neither true nor false")
        return value

    def text(self, *keys: str) -> str | None:
        """A text, or ``None``."""
        key, value = self.raw(*keys)
        if value is not None and not isinstance(value, str):
            raise ConfigError(f"{self.path}{key}: {_shown(value)} is no text")
        return value

    def items(self, *keys: str, length: int | None = None) -> list[Any] | None:
        """A list, or ``None``; of one entry a layer where ``length`` says how many."""
        key, value = self.raw(*keys)
        if value is None:
            return None
        if not isinstance(value, list):
            raise ConfigError(f"{self.path}{key}: {_shown(value)} is no list")
        if length is not None and len(value) != length:
            raise ConfigError(f"{self.path}{key} has {len(value)} entries for {length} layers")
        return value

    def part(self, key: str) -> Config | None:
        """A mapping inside the config, read in the same way."""
        _, value = self.raw(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise ConfigError(f"{self.path}{key}: {_shown(value)} is no mapping")
        child = Config(value, f"{self.path}{key}.", remarks=self.remarks)
        self.children.append(child)
        return child

    def remark(self, key: str, message: str, mapped: bool = True) -> None:
        """Say something about a key."""
        self.remarks.append(Remark(f"{self.path}{key}", message, mapped))

    def unmapped(self) -> Iterator[Remark]:
        """Every key that was neither mapped nor is known to be irrelevant, those of inner mappings included."""
        for key, value in self.data.items():
            if key not in self.used and key not in IRRELEVANT and value not in _INERT:
                yield Remark(f"{self.path}{key}", f"not mapped: {_shown(value)}")
        for child in self.children:
            yield from child.unmapped()


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for key, _ in pairs if [k for k, _ in pairs].count(key) > 1)
        raise ConfigError(f"the key {twice} stands twice in one mapping")
    return found


def read(source: bytes) -> Config:
    """A config from the bytes of its file."""
    if len(source) > MAX_BYTES:
        raise ConfigError(f"the file has {len(source):,} bytes, a config at most {MAX_BYTES:,}")
    try:
        data = json.loads(source.decode("utf-8-sig"), object_pairs_hook=_once)
    except ConfigError:
        raise
    except RecursionError:
        raise ConfigError("the file is nested too deep") from None
    except ValueError as error:
        raise ConfigError(f"this is no JSON: {error}") from None
    if not isinstance(data, dict):
        raise ConfigError("the file holds no mapping of keys")
    return Config(data)
