#!/usr/bin/env python3
"""Writes a small random instance of a published model: make.py VARIANT FOLDER [--seed N] [--shards N] [--dtype TYPE]

The folder has config.json, model.safetensors (or shards with an index), and .npy files: the inputs, and the outputs of
the reference in double precision, stored as f32. `make.py --list` lists the variants.
"""
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the same bytes on each run

import argparse
import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import reference
from reference import adapter, safetensors


def write(variant, folder, seed=0, shards=1, dtype="f32"):
    """Writes the files of an instance and returns its outputs."""
    instance = reference.draw(variant, seed, dtype)
    outputs, _ = reference.forward(variant, instance)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(instance.config, indent=2, sort_keys=True) + "\n")
    safetensors.write_shards(folder, instance.tensors, instance.dtypes, shards)
    for name, values in instance.inputs.items():
        np.save(folder / f"{name}.npy", values)
    for name, values in outputs.items():
        np.save(folder / f"{name}.npy", values.astype(np.float32))
    return outputs


def write_adapter(variant, folder, targets):
    """Writes an adapter of the instance to `folder`/adapter, with the outputs of the instance with it."""
    instance = reference.draw(variant)
    config, draw, merged = adapter.adapt(variant, instance, targets)
    adapter.write(folder / "adapter", config, draw)
    outputs, _ = reference.forward(variant, instance, tensors=merged)
    for name, values in outputs.items():
        np.save(folder / "adapter" / f"{name}.npy", values.astype(np.float32))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("variant", nargs="?")
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="list the variants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--dtype", choices=["f32", "bf16"], default="f32")
    parser.add_argument("--adapt", metavar="LAYERS", help="also write an adapter of the layers q_proj,v_proj, ...")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(reference.variants()))
    elif arguments.folder is None or arguments.variant not in reference.variants():
        parser.error(f"expected a folder and one of: {', '.join(reference.variants())}")
    else:
        write(arguments.variant, arguments.folder, arguments.seed, arguments.shards, arguments.dtype)
        if arguments.adapt:
            write_adapter(arguments.variant, arguments.folder, arguments.adapt.split(","))


if __name__ == "__main__":
    main()
