"""A machine that counts: arithmetic on the chip, and every element that moves between the chip and memory.

Values are floats; on the chip they are plain Python numbers. Memory holds tensors. An element is read or written one at
a time, under the name of its tensor, and the machine keeps apart the first transfer of an element and repeated ones.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ridgeline.counting.names import Operation, Traffic

#: Multiply-adds and transferred elements that one run may take; a run of the sizes that kernels draw takes far less.
MAX_WORK = 500_000
MAX_ELEMENTS = 100_000


#: Sizes of a kernel by name: counts, and bytes of an element.
Sizes = Mapping[str, Fraction]


class CountingError(ValueError):
    """A kernel cannot be run at these sizes, or does something that no machine could."""


def whole(sizes: Sizes, name: str, *, least: int = 1) -> int:
    """A size that counts something. Raises :class:`CountingError` where it is missing, fractional or too small."""
    value = sizes.get(name)
    if value is None:
        raise CountingError(f"the size {name} is not set")
    if value.denominator != 1 or value < least:
        raise CountingError(f"{name} must be a whole number from {least} on, not {value}")
    return value.numerator


@dataclass(frozen=True, slots=True)
class Moved:
    """Elements of one tensor that moved. ``first_reads`` and ``first_writes`` count each element once."""

    element_bytes: Fraction
    reads: int = 0
    writes: int = 0
    first_reads: int = 0
    first_writes: int = 0

    def elements(self, traffic: Traffic = "total") -> int:
        """Elements read and written."""
        return self.reads + self.writes if traffic == "total" else self.first_reads + self.first_writes

    def bytes(self, traffic: Traffic = "total") -> Fraction:
        """Bytes read and written."""
        return self.elements(traffic) * self.element_bytes


@dataclass(frozen=True, slots=True)
class Counts:
    """What one run of a kernel took: operations by kind, and elements by tensor."""

    operations: Mapping[Operation, int]
    moved: Mapping[str, Moved]

    def flops(self, kinds: Iterable[Operation] = ("multiply-add",)) -> int:
        """Operations of these kinds; a multiply-add is two."""
        return sum((2 if kind == "multiply-add" else 1) * self.operations.get(kind, 0) for kind in kinds)

    def bytes(self, tensors: Iterable[str] | None = None, traffic: Traffic = "total") -> Fraction:
        """Bytes moved for these tensors, or for all. An unknown tensor raises :class:`KeyError`."""
        names = self.moved if tensors is None else tensors
        return sum((self.moved[name].bytes(traffic) for name in names), Fraction(0))


class Tensor:
    """Elements in memory, in row-major order. Reading and writing them is what is counted."""

    def __init__(self, machine: Machine, name: str, shape: Sequence[int], element_bytes: Fraction, values: list[float]):
        self.name = name
        self.shape = tuple(shape)
        self.element_bytes = element_bytes
        self.values = values
        self._machine = machine
        self._strides = [math.prod(self.shape[axis + 1 :]) for axis in range(len(self.shape))]
        self._read = bytearray(len(values))
        self._written = bytearray(len(values))
        self._counts = [0, 0, 0, 0]

    def _offset(self, index: tuple[int, ...]) -> int:
        """The place of a row: of its first element."""
        offset = 0
        for i, length, stride in zip(index, self.shape, self._strides, strict=False):
            if not 0 <= i < length:
                raise CountingError(f"{self.name} has no element {index}: its shape is {self.shape}")
            offset += i * stride
        return offset

    def _load(self, start: int, number: int) -> list[float]:
        stop = start + number
        self._machine.work(number)
        self._counts[0] += number
        self._counts[2] += self._read.count(0, start, stop)
        self._read[start:stop] = b"\1" * number
        return self.values[start:stop]

    def _store(self, start: int, values: Sequence[float]) -> None:
        number, stop = len(values), start + len(values)
        self._machine.work(number)
        self._counts[1] += number
        self._counts[3] += self._written.count(0, start, stop)
        self._written[start:stop] = b"\1" * number
        self.values[start:stop] = values

    def load(self, *index: int) -> float:
        """Bring one element on the chip."""
        return self.load_row(*index[:-1], start=index[-1], number=1)[0]

    def store(self, value: float, *index: int) -> None:
        """Write one element to memory."""
        self.store_row([value], *index[:-1], start=index[-1])

    def load_row(self, *index: int, start: int = 0, number: int | None = None) -> list[float]:
        """Bring the last axis on the chip, or ``number`` elements of it from ``start``, at the given place of the others."""
        number = self.shape[-1] - start if number is None else number
        self._inside(index, start, number)
        return self._load(self._offset(index) + start, number)

    def store_row(self, row: Sequence[float], *index: int, start: int = 0) -> None:
        """Write a row, from ``start`` of the last axis on, at the given place of the others."""
        self._inside(index, start, len(row))
        self._store(self._offset(index) + start, row)

    def _inside(self, index: tuple[int, ...], start: int, number: int) -> None:
        if len(index) != len(self.shape) - 1 or start < 0 or number < 0 or start + number > self.shape[-1]:
            raise CountingError(
                f"{self.name} has no {number} elements from {(*index, start)}: its shape is {self.shape}"
            )

    @property
    def moved(self) -> Moved:
        return Moved(self.element_bytes, *self._counts)


@dataclass
class Machine:
    """Counts what a kernel does. ``given`` holds the values of inputs by tensor; the others are drawn from ``seed``."""

    given: Mapping[str, Sequence[float]] = field(default_factory=dict)
    seed: int = 0
    tensors: dict[str, Tensor] = field(default_factory=dict)
    operations: dict[Operation, int] = field(default_factory=dict)
    left: int = MAX_WORK

    # Memory

    def input(self, name: str, shape: Sequence[int], element_bytes: Fraction | int = 1) -> Tensor:
        """A tensor that is in memory before the kernel starts, its values given or drawn from -1 to 1."""
        size = self._size(name, shape)
        values = self.given.get(name)
        if values is None:
            source = random.Random(f"{self.seed} {name}")
            values = [2 * source.random() - 1 for _ in range(size)]
        elif len(values) != size:
            raise CountingError(f"{name} needs {size} values for the shape {tuple(shape)}, and {len(values)} are given")
        return self._add(name, shape, element_bytes, [float(v) for v in values])

    def output(self, name: str, shape: Sequence[int], element_bytes: Fraction | int = 1) -> Tensor:
        """A tensor that the kernel writes: its result, or something it puts into memory to read it again."""
        return self._add(name, shape, element_bytes, [math.nan] * self._size(name, shape))

    def _size(self, name: str, shape: Sequence[int]) -> int:
        size = math.prod(shape)
        if size > MAX_ELEMENTS or any(n < 1 for n in shape):
            raise CountingError(f"{name} cannot have the shape {tuple(shape)}")
        return size

    def _add(self, name: str, shape: Sequence[int], element_bytes: Fraction | int, values: list[float]) -> Tensor:
        if name in self.tensors:
            raise CountingError(f"two tensors are called {name}")
        found = self.tensors[name] = Tensor(self, name, shape, Fraction(element_bytes), values)
        return found

    # Arithmetic on the chip

    def work(self, amount: int) -> None:
        """Take from the work that this run may do."""
        self.left -= amount
        if self.left < 0:
            raise CountingError(f"more than {MAX_WORK:,} steps: choose smaller sizes")

    def count(self, kind: Operation, number: int = 1) -> None:
        """Note operations."""
        self.work(number)
        self.operations[kind] = self.operations.get(kind, 0) + number

    def dot(self, a: Sequence[float], b: Sequence[float]) -> float:
        """The sum of products: one multiply-add for each pair."""
        total, done = 0.0, 0
        for x, y in zip(a, b, strict=True):
            total += x * y
            done += 1
        self.count("multiply-add", done)
        return total

    def accumulate(self, weight: float, row: Sequence[float], into: list[float]) -> None:
        """Add ``weight * row`` to a row on the chip: one multiply-add for each element."""
        done = 0
        for i, x in enumerate(row):
            into[i] += weight * x
            done += 1
        self.count("multiply-add", done)

    def scale(self, row: Sequence[float], factor: float) -> list[float]:
        """A row on the chip times one number: one multiplication for each element."""
        self.count("multiply", len(row))
        return [x * factor for x in row]

    def add(self, a: float, b: float) -> float:
        self.count("add")
        return a + b

    def subtract(self, a: float, b: float) -> float:
        """``a - b``, counted as an addition."""
        self.count("add")
        return a - b

    def multiply(self, a: float, b: float) -> float:
        self.count("multiply")
        return a * b

    def divide(self, a: float, b: float) -> float:
        """``a / b``, as IEEE arithmetic has it for a finite ``a`` and a zero ``b``."""
        self.count("divide")
        return a / b if b else math.nan if not a else math.copysign(math.inf, a)

    def maximum(self, a: float, b: float) -> float:
        self.count("compare")
        return a if a >= b else b

    def exponential(self, a: float) -> float:
        """``e`` to the power ``a``, infinite where a double has no larger number."""
        self.count("exponential")
        try:
            return math.exp(a)
        except OverflowError:
            return math.inf

    @property
    def counts(self) -> Counts:
        return Counts(dict(self.operations), {name: tensor.moved for name, tensor in self.tensors.items()})
