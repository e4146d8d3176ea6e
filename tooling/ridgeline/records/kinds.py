"""The kinds of record: name, version, folder and type of each."""

from __future__ import annotations

from dataclasses import dataclass

#: Kind → folder below ``records/``. The folder's name is also the kind's name in references (``models/llama-2-7b``).
FOLDERS: dict[str, str] = {
    "accelerator": "accelerators",
    "model": "models",
    "class": "classes",
    "format": "formats",
    "interconnect": "interconnects",
    "source": "sources",
}
KIND_OF_FOLDER = {folder: kind for kind, folder in FOLDERS.items()}
VERSIONS: dict[str, int] = dict.fromkeys(FOLDERS, 1)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record with its pydantic type."""

    name: str
    version: int
    folder: str
    type: type

    @property
    def schema_name(self) -> str:
        return f"{self.name}.v{self.version}.schema.json"


def kinds() -> dict[str, Kind]:
    """All kinds by name. Imports pydantic, so it is called only where records are validated."""
    from ridgeline.records.accelerator import Accelerator
    from ridgeline.records.format import Format
    from ridgeline.records.interconnect import Interconnect
    from ridgeline.records.model import Model
    from ridgeline.records.source import Source
    from ridgeline.records.workload import Workload

    types = {
        "accelerator": Accelerator,
        "model": Model,
        "class": Workload,
        "format": Format,
        "interconnect": Interconnect,
        "source": Source,
    }
    return {name: Kind(name, VERSIONS[name], folder, types[name]) for name, folder in FOLDERS.items()}
