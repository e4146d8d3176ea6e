"""Vision towers as extras beside the text model: each counted from what `vision_config` states, else left to a person."""

from __future__ import annotations

from collections.abc import Callable

from ridgeline.importing.config import Config, ConfigError
from ridgeline.importing.draft import Extra

#: From the config and its `vision_config` to the parts beside the text model.
Tower = Callable[[Config, Config], list[Extra]]


def extras(config: Config, tower: Tower) -> list[Extra]:
    """The parts that `vision_config` describes; without one there are none, with an incomplete one a person counts."""
    vision = config.part("vision_config")
    if vision is None:
        return []
    try:
        return tower(config, vision)
    except ConfigError as error:
        config.children.remove(vision)  # what it states is left to that person
        config.remark("vision_config", f"{error}: its parameters are not counted, fill in the extra vision_part")
        return [_blank("vision_part")]


def unknown(config: Config, *keys: str) -> list[Extra]:
    """Parts whose inside is not read here: a person counts them."""
    found = []
    for key in keys:
        if config.has(key):
            config.used.add(key)
            name = key.removesuffix("_config") + "_part"
            config.remark(key, f"its parameters are not counted: fill in the extra {name}")
            found.append(_blank(name))
    return found


def _blank(name: str) -> Extra:
    return Extra(name, None, "FILL-IN what it is, and where the number is from.")


def _sizes(vision: Config, layers: str = "num_hidden_layers") -> tuple[int, int, int]:
    """Width, inner width, number of layers."""
    return vision.integer("hidden_size"), vision.integer("intermediate_size"), vision.integer(layers)


def _edge(vision: Config, key: str) -> int:
    """One side of a square that some configs state twice: ``[14, 14]``."""
    _, value = vision.raw(key)
    if isinstance(value, list) and len(set(map(str, value))) == 1:
        vision.data = {**vision.data, key: value[0]}
    return vision.integer(key)


def _square(vision: Config) -> tuple[int, int]:
    """Channels of an image, and the side of a patch."""
    return vision.integer("num_channels", "in_channels", "in_chans", default=3), _edge(vision, "patch_size")


def siglip(config: Config, vision: Config) -> list[Extra]:
    """SigLIP, and the projector of Gemma 3: a norm and one matrix."""
    size, inner, layers = _sizes(vision)
    vision.used |= {"num_attention_heads", "vision_use_head", "projection_dim"}
    image = _edge(vision, "image_size")
    channels, patch = _square(vision)
    block = f"4 * {size}^2 + 2 * {size} * {inner} + 9 * {size} + {inner}"
    ends = f"{channels} * {patch}^2 * {size} + {size} + {(image // patch) ** 2} * {size} + 2 * {size}"
    return [
        Extra("vision_tower", f"{layers} * ({block}) + {ends}",
              "The image encoder: layers of attention and feed-forward with biases and two norms, patch and position embedding, last norm."),
        Extra("projector", f"{size} * d_model + {size}", "From the image encoder to the text model: a norm and one matrix."),
    ]  # fmt: skip


def gemma4(config: Config, vision: Config) -> list[Extra]:
    """The encoder of Gemma 4: gated layers with four norms, positions by axis, and one matrix to the text model."""
    size, inner, layers = _sizes(vision)
    heads, head = vision.integer("num_attention_heads"), vision.integer("head_dim")
    if vision.maybe("num_key_value_heads") not in (None, heads) or heads * head != size:
        raise ConfigError("heads of the image encoder that are shared or wider than its layers are not known here")
    if vision.flag("attention_bias", default=False) or vision.flag("use_clipped_linears", default=False):
        raise ConfigError("biases and clipped matrices of the image encoder are not known here")
    vision.used |= {"global_head_dim", "default_output_length", "pooling_kernel_size", "image_seq_length", "video_seq_length", "max_position_embeddings"}  # fmt: skip
    config.used.add("vision_soft_tokens_per_image")
    channels, patch = _square(vision)
    spread = f" + 2 * {size}" if vision.flag("standardize", default=False) else ""
    block = f"4 * {size}^2 + 3 * {size} * {inner} + 4 * {size} + 2 * {head}"
    ends = f"{channels} * {patch}^2 * {size} + 2 * {vision.integer('position_embedding_size')} * {size}{spread}"
    return [
        Extra("vision_tower", f"{layers} * ({block}) + {ends}",
              "The image encoder: gated layers with four norms and norms of queries and keys, patch embedding, and a table of positions for each axis."
              + (" It holds mean and spread of its output too." if spread else "")),
        Extra("projector", f"{size} * d_model", "The matrix from image features to the width of the text model."),
    ]  # fmt: skip


def pixtral(config: Config, vision: Config) -> list[Extra]:
    """Pixtral, and the projector of Mistral 3: a norm, a matrix that merges patches, and two to the text model."""
    size, inner, layers = _sizes(vision)
    vision.used |= {"image_size", "num_attention_heads", "head_dim", "rope_theta"}
    channels, patch = _square(vision)
    merge, _ = config.integer("spatial_merge_size", default=2), config.text("projector_hidden_act")
    if not isinstance(config.data.get("vision_feature_layer", -1), int):
        raise ConfigError("features of several layers of the image encoder are not known here")
    config.used.add("vision_feature_layer")
    bias = " + 2 * d_model" if config.flag("multimodal_projector_bias", default=False) else ""
    return [
        Extra("vision_tower", f"{layers} * (4 * {size}^2 + 3 * {size} * {inner} + 2 * {size}) + {channels} * {patch}^2 * {size} + {size}",
              "The image encoder: gated layers without biases and with two norms, patch embedding, and a norm before the layers."),
        Extra("projector", f"{size} + {merge}^2 * {size}^2 + {size} * d_model + d_model^2{bias}",
              "From the image encoder to the text model: a norm, a matrix that merges neighbouring patches, and two matrices."),
    ]  # fmt: skip


def llama4(config: Config, vision: Config) -> list[Extra]:
    """The encoder of Llama 4, its adapter behind the pixel shuffle, and one matrix to the text model."""
    size, inner, layers = _sizes(vision)
    vision.used |= {"num_attention_heads", "vision_feature_layer", "vision_feature_select_strategy", "projector_dropout", "rope_theta"}  # fmt: skip
    image = _edge(vision, "image_size")
    channels, patch = _square(vision)
    _, ratio = vision.raw("pixel_shuffle_ratio")
    if ratio not in (0.5, None):
        raise ConfigError("another pixel shuffle than by a half is not known here")
    first, second = vision.integer("projector_input_dim"), vision.integer("projector_output_dim")
    given = vision.integer("vision_output_dim")
    if vision.flag("multi_modal_projector_bias", default=False):
        raise ConfigError("a bias of the projector is not known here")
    block = f"4 * ({size}^2 + {size}) + 2 * {size} * {inner} + {inner} + {size} + 4 * {size}"
    ends = f"{channels} * {patch}^2 * {size} + {size} + {(image // patch) ** 2 + 1} * {size} + 4 * {size}"
    return [
        Extra("vision_tower", f"{layers} * ({block}) + {ends}",
              "The image encoder: layers with biases and two norms, patch embedding without bias, class and position embedding, a norm before the layers and one behind."),
        Extra("vision_adapter", f"4 * {size} * {first} + {second}^2", "The two matrices behind the pixel shuffle."),
        Extra("projector", f"{given} * d_model", "The matrix from image features to the width of the text model."),
    ]  # fmt: skip


def uncounted(config: Config, vision: Config) -> list[Extra]:
    """Encoders whose inside is not read here."""
    raise ConfigError("the inside of this image encoder is not read")


def qwen2(config: Config, vision: Config) -> list[Extra]:
    """The encoder of Qwen2-VL, whose width has a name of its own: plain layers with biases and two norms."""
    size, out, layers = vision.integer("embed_dim"), vision.integer("hidden_size"), vision.integer("depth")
    vision.used |= {"num_heads", "spatial_patch_size"}
    channels, patch = _square(vision)
    frames, merge = vision.integer("temporal_patch_size"), vision.integer("spatial_merge_size")
    wide, inner = merge**2 * size, vision.integer("mlp_ratio") * size
    block = f"4 * ({size}^2 + {size}) + 2 * {size} * {inner} + {inner} + {size} + 4 * {size}"
    return [
        Extra("vision_tower", f"{layers} * ({block}) + {channels} * {frames} * {patch}^2 * {size}",
              "The image encoder: layers with biases and two norms, and a patch embedding over several frames without bias."),
        Extra("merger", f"2 * {size} + {wide}^2 + {wide} + {wide} * {out} + {out}",
              "A norm and two matrices with biases, from neighbouring patches to the width of the text model."),
    ]  # fmt: skip


def qwen2_5(config: Config, vision: Config) -> list[Extra]:
    """The encoder of Qwen2.5-VL: gated layers with biases and two norms; one merger of patches."""
    size, inner, layers = _sizes(vision, "depth")
    vision.used |= {"num_heads", "spatial_patch_size", "window_size", "fullatt_block_indexes", "tokens_per_second"}
    channels, patch = _square(vision)
    frames, merge = vision.integer("temporal_patch_size"), vision.integer("spatial_merge_size")
    out = vision.integer("out_hidden_size")
    wide = merge**2 * size
    block = f"4 * ({size}^2 + {size}) + 3 * {size} * {inner} + 2 * {inner} + {size} + 2 * {size}"
    return [
        Extra("vision_tower", f"{layers} * ({block}) + {channels} * {frames} * {patch}^2 * {size}",
              "The image encoder: gated layers with biases and two norms, and a patch embedding over several frames without bias."),
        Extra("merger", f"{size} + {wide}^2 + {wide} + {wide} * {out} + {out}",
              "A norm and two matrices with biases, from neighbouring patches to the width of the text model."),
    ]  # fmt: skip


def qwen3(config: Config, vision: Config) -> list[Extra]:
    """The encoder of Qwen3-VL and Qwen 3.5: learned positions, and one merger more for each layer that is tapped."""
    size, inner, layers = _sizes(vision, "depth")
    vision.used.add("num_heads")
    channels, patch = _square(vision)
    frames, merge = vision.integer("temporal_patch_size"), vision.integer("spatial_merge_size")
    out, rows = vision.integer("out_hidden_size"), vision.integer("num_position_embeddings")
    wide, taps = merge**2 * size, vision.items("deepstack_visual_indexes") or []
    block = f"4 * ({size}^2 + {size}) + 2 * {size} * {inner} + {inner} + {size} + 4 * {size}"
    mlp = f"{wide}^2 + {wide} + {wide} * {out} + {out}"
    found = [
        Extra("vision_tower", f"{layers} * ({block}) + {channels} * {frames} * {patch}^2 * {size} + {size} + {rows} * {size}",
              "The image encoder: layers with biases and two norms, patch embedding over several frames, learned positions."),
        Extra("merger", f"2 * {size} + {mlp}",
              "A norm and two matrices with biases, from neighbouring patches to the width of the text model."),
    ]  # fmt: skip
    if taps:
        found.append(Extra("deepstack_mergers", f"{len(taps)} * (2 * {wide} + {mlp})",
                           "One merger more for each layer of the image encoder that feeds the first layers of the text model."))  # fmt: skip
    return found


def moonvit(config: Config, vision: Config) -> list[Extra]:
    """The encoder of Kimi K2.5: learned positions, and a projector of two matrices behind a norm."""
    size, inner = vision.integer("vt_hidden_size"), vision.integer("vt_intermediate_size")
    layers, out = vision.integer("vt_num_hidden_layers"), vision.integer("text_hidden_size")
    if vision.text("mm_projector_type") not in (None, "patchmerger") or vision.integer("mm_hidden_size") != size:
        raise ConfigError("a projector of another kind is not known here")
    vision.used |= {
        "vt_num_attention_heads", "projector_hidden_act", "projector_ln_eps", "video_attn_type", "merge_type",
        "pos_emb_type", "init_pos_emb_time",
    }  # fmt: skip
    channels, patch = _square(vision)
    sides = vision.items("merge_kernel_size") or []
    if len(sides) != 2 or not all(isinstance(side, int) for side in sides):
        raise ConfigError("merge_kernel_size states no two sides")
    wide = sides[0] * sides[1] * size
    rows = vision.integer("init_pos_emb_height") * vision.integer("init_pos_emb_width")
    block = f"4 * ({size}^2 + {size}) + 2 * {size} * {inner} + {inner} + {size} + 4 * {size}"
    return [
        Extra("vision_tower", f"{layers} * ({block}) + {channels} * {patch}^2 * {size} + {size} + {rows} * {size} + 2 * {size}",
              "The image encoder: layers with biases and two norms, patch embedding, learned positions, last norm."),
        Extra("projector", f"2 * {size} + {wide}^2 + {wide} + {wide} * {out} + {out}",
              "A norm and two matrices with biases, from neighbouring patches to the width of the text model."),
    ]  # fmt: skip
