"""Compiles each model phase by phase, from the printed module of the previous phase: printed.py ATTNC DIRECTORY."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
attnc, directory = sys.argv[1], pathlib.Path(sys.argv[2])
directory.mkdir(parents=True, exist_ok=True)

# Without --precision, `narrow` prints the module of `fuse` unchanged. `raise` shows that this module parses.
PHASES = ("import", "derive", "narrow", "raise")


def fault_of(model):
    read = model
    for phase in PHASES:
        printed = directory / f"{model.stem}.{phase}.mlir"
        with open(printed, "w") as file:
            done = subprocess.run(
                [attnc, "compile", read, f"--emit={phase}"], stdout=file, stderr=subprocess.PIPE, text=True
            )
        if "[no-entry]" in done.stderr:
            return ""  # the file has parts of other models
        if done.returncode:
            return f"{model}, {phase}: {done.stderr}"
        read = printed
    return ""


models = sorted(ROOT.glob("examples/*/*.attn")) + sorted(ROOT.glob("tests/e2e/models/*.attn"))
assert len(models) > 30
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    faults = [fault for fault in pool.map(fault_of, models) if fault]
if faults:
    sys.exit("\n".join(faults))
