"""One page of each template of the site, simple and full ones."""

from __future__ import annotations

TEMPLATES = [
    "/",
    "/accelerators/",
    "/accelerators/nvidia-h100-sxm/",
    "/accelerators/amd-radeon-pro-vii/",
    "/models/",
    "/models/llama-2-70b/",
    "/classes/",
    "/classes/prefill-attention/",
    "/formats/bf16/",
    "/interconnects/nvlink-4/",
    "/architectures/",
    "/announced/",
    "/lessons/",
    "/sources/flashattention-2/",
    "/sources/",
    "/method/",
    "/data/",
    "/f/accelerators.nvidia-h100-sxm.ridge.bf16/",
    "/f/models.llama-2-70b.parameters.total/",
]
