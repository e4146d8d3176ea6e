"""The kinds of record: name, version, folder and type of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

#: Kind → folder below ``records/``. The folder's name is also the kind's name in references (``models/llama-2-7b``).
FOLDERS: dict[str, str] = {
    "accelerator": "accelerators",
    "model": "models",
    "class": "classes",
    "format": "formats",
    "interconnect": "interconnects",
    "architecture": "architectures",
    "announced": "announced",
    "lesson": "lessons",
    "source": "sources",
}
KIND_OF_FOLDER = {folder: kind for kind, folder in FOLDERS.items()}
VERSIONS: dict[str, int] = {**dict.fromkeys(FOLDERS, 1), "interconnect": 2}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record with its pydantic type."""

    name: str
    version: int
    folder: str
    type: type

    @property
    def stated(self) -> str:
        """What the record's ``schema:`` line says."""
        return f"{self.name}/{self.version}"

    @property
    def schema_name(self) -> str:
        return f"{self.name}.v{self.version}.schema.json"


@lru_cache(maxsize=1)
def kinds() -> dict[str, Kind]:
    """All kinds by name, each in its newest version. Imports pydantic, so it is called only where records are validated."""
    from ridgeline.records.accelerator import Accelerator
    from ridgeline.records.announced import Announced
    from ridgeline.records.architecture import Architecture
    from ridgeline.records.format import Format
    from ridgeline.records.interconnect import Interconnect
    from ridgeline.records.lesson import Lesson
    from ridgeline.records.model import Model
    from ridgeline.records.source import Source
    from ridgeline.records.workload import Workload

    types = {
        "accelerator": Accelerator,
        "model": Model,
        "class": Workload,
        "format": Format,
        "interconnect": Interconnect,
        "architecture": Architecture,
        "announced": Announced,
        "lesson": Lesson,
        "source": Source,
    }
    return {name: Kind(name, VERSIONS[name], folder, types[name]) for name, folder in FOLDERS.items()}


@lru_cache(maxsize=1)
def versions() -> dict[str, Kind]:
    """Every version of every kind that can be read, by what its ``schema:`` line says; a kind's oldest version first."""
    from ridgeline.records.migrations.interconnect_2 import Interconnect1

    earlier = {"interconnect": [Interconnect1]}
    found = {}
    for newest in kinds().values():
        types = [*earlier.get(newest.name, []), newest.type]
        for version, type_ in enumerate(types, newest.version - len(types) + 1):
            kind = Kind(newest.name, version, newest.folder, type_)
            found[kind.stated] = kind
    return found
