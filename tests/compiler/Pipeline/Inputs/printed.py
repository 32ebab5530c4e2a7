"""Prints each model after several phases, and compiles the printed module again: printed.py ATTNC DIRECTORY."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
attnc, directory = sys.argv[1], pathlib.Path(sys.argv[2])
directory.mkdir(parents=True, exist_ok=True)


PHASES = ("import", "derive", "fuse", "narrow")


def fault_of(model, phase):
    module = directory / f"{model.stem}.{phase}.mlir"
    with open(module, "w") as file:
        printed = subprocess.run(
            [attnc, "compile", model, f"--emit={phase}"], stdout=file, stderr=subprocess.PIPE, text=True
        )
    if printed.returncode:
        return printed.stderr
    read = subprocess.run([attnc, "compile", module, "--emit=raise"], capture_output=True, text=True)
    return read.stderr if read.returncode else ""


models = sorted(ROOT.glob("examples/*/*.attn")) + sorted(ROOT.glob("tests/e2e/models/*.attn"))
assert len(models) > 30
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    faults = [fault for phase in PHASES for fault in pool.map(fault_of, models, [phase] * len(models)) if fault]
if faults:
    sys.exit("\n".join(faults))
