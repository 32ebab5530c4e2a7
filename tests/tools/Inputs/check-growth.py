"""Checks that the work of a compile is linear in the size of programs: check-growth.py ATTNC COUNTER PROGRAMS FOLDER.

The work is the number of allocations, and of allocated bytes, up to the phase that programs.py names. From twice a size to
four times, a linear compile adds twice as much work as from the size to twice; a quadratic one adds four times as much."""
import os
import pathlib
import subprocess
import sys

MOST = 2.7
# A fraction of the smallest program's work; a smaller increase is no growth.
LEAST = 0.5


def work(attnc, counter, folder, program, size, options):
    source = folder / f"{program.__name__}_{size}.attn"
    counts = folder / f"{program.__name__}_{size}.txt"
    source.write_text(program(size))
    command = [attnc, "compile", source, "--target", "x86-64-v3"] + options
    environment = os.environ | {"LD_PRELOAD": counter, "COUNTED_ALLOCATIONS": str(counts)}
    done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, f"{source}: {done.stderr}"
    return [int(each) for each in counts.read_text().split()]


def superlinear(attnc, counter, folder, tested, options):
    for program, size in tested.items():
        small, double, large = [work(attnc, counter, folder, program, size * times, options) for times in (1, 2, 4)]
        for what, a, b, c in zip(("calls", "bytes"), small, double, large):
            ratio = (c - b) / max(1, b - a)
            name = f"{program.__name__} {' '.join(options)}"
            line = f"{name}: {what} {a} at {size}, {b} at {2 * size}, {c} at {4 * size}: ratio {ratio:.2f}"
            print(line)
            if ratio > MOST and c - b > LEAST * a:
                yield line


def main(attnc, counter, programs, folder):
    sys.path.insert(0, programs)
    from programs import TESTED

    bad = []
    for phase, tested in TESTED.items():
        # Complete compiles use the default emitters.
        options = [f"--emit={phase}"] + ([] if phase == "emit" else ["--emitter", "cpu"])
        bad += superlinear(attnc, counter, pathlib.Path(folder), tested, options)
    for line in bad:
        print(f"superlinear (a ratio of 2 is linear, at most {MOST} is expected): {line}", file=sys.stderr)
    return 1 if bad else 0


sys.exit(main(*sys.argv[1:]))
