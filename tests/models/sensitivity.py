#!/usr/bin/env python3
"""Tests that the outputs of each instance show each of its parts: sensitivity.py [-v] [VARIANT...]

Leaving out a tensor (a norm weight becomes 1, all else 0) or a feature of the configuration must change the outputs by
more than VISIBLE of the largest. A relative change of all tensors by one rounding of f32 must change them by less than
NOISE. An instance is at most LARGEST bytes, and the same seed gives the same bytes.
"""
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pathlib
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import make
import reference
from reference import safetensors

# The two forms of GELU differ by less than 5e-4 everywhere.
FAINT = {"[form of GELU]": 2e-4}
VISIBLE, NOISE, LARGEST, SLOWEST = 2e-3, 2e-5, 300_000, 1.0


def difference(outputs, others):
    """The largest relative change of an output. Discrete or missing values count as wholly changed."""
    return max(np.max(np.abs(outputs[name] - others[name])) / np.max(np.abs(outputs[name])) for name in outputs)


def changes_of(variant, instance, outputs):
    """Yields each part and the change of the outputs without it."""
    for name, neutral in instance.neutral.items():
        if name in instance.ignored | instance.invisible:
            continue
        tensors = dict(instance.tensors, **{name: np.full_like(instance.tensors[name], neutral)})
        yield name, difference(outputs, reference.forward(variant, instance, tensors=tensors)[0])
    for name, changes in instance.features.items():
        yield f"[{name}]", difference(outputs, reference.forward(variant, instance, changes)[0])


def noise(variant, instance, outputs):
    """The change of the outputs when each value of the tensors is rounded differently."""
    random = np.random.RandomState(1)
    tensors = {name: value * (1 + 2.0 ** -24 * random.standard_normal(value.shape)) if value.dtype == np.float64
               else value for name, value in instance.tensors.items()}
    return difference(outputs, reference.forward(variant, instance, tensors=tensors)[0])


def file_faults(variant, instance, dtype, shards):
    """Writes an instance twice and compares the bytes, reads it and compares the values."""
    faults = []
    with tempfile.TemporaryDirectory() as place:
        folders = [pathlib.Path(place) / name for name in "ab"]
        for folder in folders:
            make.write(variant, folder, dtype=dtype, shards=shards)
        files = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders]
        if files[0] != files[1]:
            faults.append("the same seed gave other bytes")
        size = sum(len(data) for data in files[0].values())
        if size > LARGEST:
            faults.append(f"{size} bytes, at most {LARGEST} expected")
        stored = safetensors.read_folder(folders[0])
        if stored.keys() != instance.tensors.keys():
            faults.append("the files have other tensors")
        elif dtype == "f32":
            faults += [f"{name} has other values" for name, value in stored.items()
                       if not np.array_equal(value, instance.tensors[name])]
    return faults


def check(variant, verbose):
    """The faults of a variant."""
    start = time.monotonic()
    instance = reference.draw(variant)
    outputs, read = reference.forward(variant, instance)
    seconds = time.monotonic() - start
    faults = [f"{seconds:.1f} s, at most {SLOWEST} expected"] if seconds > SLOWEST else []
    faults += [f"{name} is not read" for name in instance.tensors.keys() - read - instance.ignored]
    least = np.inf
    for part, change in changes_of(variant, instance, outputs):
        least = least if part in FAINT else min(least, change)
        if verbose:
            print(f"  {part}: {change:.2g}")
        if not change > FAINT.get(part, VISIBLE):
            faults.append(f"{part}: its absence changes the outputs by {change:.1e} only")
    rounding = noise(variant, instance, outputs)
    if not rounding < NOISE:
        faults.append(f"rounding of the tensors changes the outputs by {rounding:.1e}")
    faults += file_faults(variant, instance, "f32", 1) + file_faults(variant, instance, "bf16", 3)
    largest = ", ".join(f"{name} up to {np.max(np.abs(value)):.1f}" for name, value in outputs.items())
    print(f"{variant}: {largest}; least change {least:.1e}, rounding {rounding:.0e}, {seconds:.2f} s")
    return faults


def main():
    names = [name for name in sys.argv[1:] if name != "-v"] or list(reference.variants())
    faults = [f"{name}: {fault}" for name in names for fault in check(name, "-v" in sys.argv)]
    print("\n".join(faults) or "all parts are visible")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
