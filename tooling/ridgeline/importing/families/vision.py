"""Vision towers as extras beside the text model."""

from __future__ import annotations

from ridgeline.importing.config import Config
from ridgeline.importing.draft import Extra


def siglip(config: Config, text_width: int) -> list[Extra]:
    """A SigLIP tower and the projector of Gemma 3: a norm and one matrix."""
    vision = config.part("vision_config")
    if vision is None:
        return []
    size, inner, layers = (
        vision.integer("hidden_size"),
        vision.integer("intermediate_size"),
        vision.integer("num_hidden_layers"),
    )
    vision.used |= {"num_attention_heads", "vision_use_head", "projection_dim"}
    image, patch = vision.integer("image_size"), vision.integer("patch_size")
    channels = vision.maybe("num_channels") or 3
    block = f"4 * {size}^2 + 2 * {size} * {inner} + 9 * {size} + {inner}"
    ends = f"{channels} * {patch}^2 * {size} + {size} + {(image // patch) ** 2} * {size} + 2 * {size}"
    return [
        Extra("vision_tower", f"{layers} * ({block}) + {ends}",
              "The image encoder: layers of attention and feed-forward with biases and two norms, patch and position embedding, last norm."),
        Extra("projector", f"{size} * {text_width} + {size}", "From the image encoder to the text model: a norm and one matrix."),
    ]  # fmt: skip


def unknown(config: Config, *keys: str) -> list[Extra]:
    """Parts whose inside is not read here: a person counts them."""
    found = []
    for key in keys:
        if config.has(key):
            config.used.add(key)
            name = key.removesuffix("_config") + "_part"
            config.remark(key, f"its parameters are not counted: fill in the extra {name}")
            found.append(Extra(name, None, "FILL-IN what it is, and where the number is from."))
    return found
