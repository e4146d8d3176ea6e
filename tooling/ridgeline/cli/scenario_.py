"""``ridgeline scenario``."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from ridgeline.cli import UsageError, root_of

if TYPE_CHECKING:
    from ridgeline.scenario import Outcome

EXAMPLE = """The numbers are bounds: a step takes at least so long, a rate is at most so high. --count accelerators are
tensor × pipeline × data of them; what is not said of the three is tensor. --batch is all sequences of the deployment.

example:
  ridgeline scenario llama-3.1-70b nvidia-h100-sxm --count 8 --batch 64 --context 8192
  ridgeline scenario deepseek-v3 nvidia-h200-sxm --count 32 --data 32 --expert 32 --batch 1024 --context 4096 --weights fp8
  ridgeline scenario llama-3.1-8b nvidia-l4 --phase prefill --context 2048 --weights int8 --cache fp8
  ridgeline scenario llama-3.1-8b nvidia-h100-sxm --phase training --count 8 --data 8 --batch 64 --context 8192"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("model", help="the model's record")
    parser.add_argument("accelerator", help="the accelerator's record")
    parser.add_argument(
        "--phase", choices=("prefill", "decode", "training"), default="decode", help="what a step does (decode)"
    )
    parser.add_argument("--context", type=_whole, required=True, metavar="TOKENS",
                        help="decode: tokens that each new token sees; prefill: tokens of each prompt; training: of each sequence")  # fmt: skip
    parser.add_argument("--batch", type=_whole, default=1, metavar="N", help="sequences of the whole deployment (1)")
    parser.add_argument("--count", type=_whole, default=1, metavar="N", help="accelerators (1)")
    for name, means in (
        ("tensor", "that share every layer (default: what --count leaves)"),
        ("pipeline", "stages that share the layers out among them (1)"),
        ("expert", "accelerators that the routed experts are spread over (1)"),
        ("data", "replicas with sequences of their own (1)"),
    ):
        parser.add_argument(
            f"--{name}", type=_whole, default=None if name == "tensor" else 1, metavar="N",
            help=f"accelerators {means}" if name == "tensor" else means,
        )  # fmt: skip
    for name, default, means in (
        ("weights", "bf16", "number format of the weights (bf16)"),
        ("experts", None, "number format of the routed experts' weights (that of --weights)"),
        ("activations", "bf16", "number format of the activations (bf16)"),
        ("cache", "bf16", "number format of keys and values in the cache (bf16)"),
        ("compute", None, "number format of the matrix units (that of --activations)"),
    ):
        parser.add_argument(f"--{name}", default=default, metavar="FORMAT", help=means)
    parser.add_argument("--reserve", metavar="BYTES", help="what the runtime keeps of each memory: '4 GiB'")
    parser.add_argument("--link-rate", metavar="RATE", help="another rate of the links, one direction: '50 GB/s'")
    parser.add_argument("--micro-batch", type=_whole, metavar="N",
                        help="training: sequences of a replica that pass the stages at once (1)")  # fmt: skip
    parser.add_argument("--recompute", choices=("nothing", "layers"), default="nothing",
                        help="training: what of the forward pass the backward pass does again (nothing)")  # fmt: skip
    parser.add_argument("--shard", choices=("nothing", "states", "gradients", "weights"),
                        help="training: what the replicas divide among them, with all before it (states)")  # fmt: skip
    parser.add_argument("--gradients", metavar="FORMAT", help="training: number format of the gradients (bf16)")
    parser.add_argument("--format", choices=("text", "json", "sql", "javascript"), default="text",
                        help="sql: a SELECT for the database that ridgeline load writes; javascript: a module")  # fmt: skip


def _whole(text: str) -> int:
    """A whole number, thousands grouped or not."""
    plain = text.replace(",", "").replace("_", "")
    if not plain.isascii() or not plain.isdigit() or len(plain) > 18:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number")
    return int(plain)


def run(options: argparse.Namespace) -> int:
    """Run the verb. Exit status 0, whether it fits or not."""
    from ridgeline.lookup import Lookup
    from ridgeline.scenario import ScenarioError, Setting, run

    names = Setting.__dataclass_fields__
    setting = Setting(**{name: value for name, value in vars(options).items() if name in names})
    try:
        sys.stdout.write(_written(run(Lookup(root_of(options)), setting), options.format))
    except ScenarioError as error:
        raise UsageError(str(error)) from None
    return 0


def _written(outcome: Outcome, form: str) -> str:
    if form == "sql":
        from ridgeline.scenario.code import statement
        from ridgeline.store.derivations import recorded_value

        return statement(outcome, recorded_value)
    if form == "javascript":
        from ridgeline.scenario.code import module

        return module(outcome)
    if form == "json":
        from ridgeline.scenario.plain import as_json

        return as_json(outcome)
    from ridgeline.scenario.faces import text

    return text(outcome)
