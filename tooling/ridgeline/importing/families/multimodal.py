"""Models that see: the text model by its own family, the image encoder beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ridgeline.importing.config import Config, ConfigError
from ridgeline.importing.draft import Draft
from ridgeline.importing.families import vision
from ridgeline.importing.families.common import inherit

Mapper = Callable[[Config], Draft]


def outer(texts: Mapping[str, Mapper], tower: vision.Tower) -> Mapper:
    """A mapper of configs that hold a text model under `text_config`, or whose own keys are those of the text model.

    ``texts`` holds the `model_type` of the text model → its mapper; ``""`` is that of one that states none.
    """

    def mapper(config: Config) -> Draft:
        text = config.part("text_config") or config
        inherit(text, config, "tie_word_embeddings", "vocab_size")
        _, kind = text.raw("model_type")
        found = texts.get(kind if isinstance(kind, str) and text is not config else "")
        if found is None:
            known = ", ".join(name for name in texts if name)
            raise ConfigError(f"{text.path}model_type: {str(kind)[:60]!r} is not known here; known are {known}")
        draft = found(text)
        draft.extras += vision.extras(config, tower)
        return draft

    return mapper
