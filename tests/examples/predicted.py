"""Compares the predicted cost of the examples with a record: predicted.py ATTNC [--accept].

For each entry point, the launches, the instructions and the bytes of operands that `attnc explain --json` predicts are
compared with those in predicted.txt, beside this file. This detects changes of the compiler that make code worse,
without timing. `--accept` writes a new record, for review."""
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
RECORD = HERE / "predicted.txt"
# The relative deviation from the record that counts as equal.
ALLOWED = 0.05
COUNTS = ("launches", "instructions", "bytes")
# All models under `examples`, their settings, and the sizes of a call.
MODELS = {
    "bert/bert": ([], "batch=8,n=32"),
    "chargpt/chargpt": ([], "batch=4,seq=64,capacity=64"),
    "control/actor": ([], "n=8"),
    "control/curiosity": ([], "workers=1"),
    "digits/curve": ([], "n=64,m=50"),
    "digits/digits": ([], "n=256,queries=16"),
    "digits/features": ([], "batch=8"),
    "glimpse/glimpse": ([], "batch=8,n=16"),
    "gpt2/gpt2": (["layers=2"], "batch=1,seq=128"),
    "hard/hard": ([], "batch=4,n=12,m=12,seq=4,rows=4,draws=4,dim=64"),
    "longtext/longtext": ([], "batch=4,n=512,facts=256"),
    "lstmn/lstmn": ([], "batch=4,n=12"),
    "lstmn/tasks": ([], "batch=8"),
    "luong/luong": ([], "batch=4,n=12,m=12"),
    "ntm/ntm": ([], "batch=4,n=8"),
    "pages/pages": ([], "batch=2,seq=16,blocks=8,row_blocks=4"),
    "pairs/pairs": ([], "batch=8,n=8,m=4"),
    "pairs/texts": ([], "batch=8"),
    "pointer/pointer": ([], "batch=8,n=16"),
    "reader/hops": ([], "batch=4,n=48,asked=6,m=9"),
    "reader/span": ([], "batch=4,n=48,m=6"),
    "reader/stories": ([], "batch=8"),
    "reader/summary": ([], "batch=4,n=48,m=24"),
    "sagan/judge": ([], "n=8,m=8"),
    "sagan/nonlocal": (["batch=8"], "n=8"),
    "sagan/sagan": (["batch=8"], "n=8"),
    "sagan/strips": ([], "batch=8"),
    "scenes/caption": (["scenes=8"], "batch=8"),
    "scenes/detect": ([], "batch=8"),
    "scenes/scenes": ([], "batch=8"),
    "scenes/segment": ([], "batch=8"),
    "scenes/vqa": (["scenes=8"], "batch=8,n=6,m=7,layers=2"),
    "seq2seq/seq2seq": ([], "batch=4,n=12,m=12"),
    "snail/bandits": (["tests=64"], "batch=4,seq=8,capacity=64"),
    "snail/fewshot": ([], "n=20"),
    "speech/features": ([], "n=4,u=16"),
    "speech/las": ([], "batch=4,u=16,n=64,m=5"),
    "speech/streaming": ([], "batch=4,u=16,time=32,n=64,m=5"),
    "stn/stn": ([], "batch=8"),
    "tagger/crf": ([], "batch=4,seq=12"),
    "tagger/data": ([], "batch=8"),
    "tagger/entities": ([], "batch=4,seq=12"),
    "tagger/patients": ([], "batch=4,n=24,m=12"),
    "tagger/readers": ([], "batch=4,seq=12"),
    "tagger/sentiment": ([], "batch=4,n=12"),
    "tagger/streaming": ([], "batch=4,seq=12"),
    "transformer/grammar": ([], "batch=8"),
    "transformer/transformer": ([], "batch=4,n=12,m=12"),
    "vit/vit": ([], "batch=8"),
}
# Files with parts of other models, without entry points.
PARTS = {"snail/snail"}


def explain(attnc, model, settings, sizes):
    source = EXAMPLES / f"{model}.attn"
    # The code and the numbers are the same on every machine.
    command = [attnc, "explain", source, "--json", "--target", "x86-64-v3", "--at", sizes]
    for each in settings:
        command += ["--set", each]
    done = subprocess.run(command, env=os.environ | {"ATTN_MACHINE": "/none"}, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{model}: {done.stderr}")
    return json.loads(done.stdout)["entries"]


def countsOf(entry):
    if "problem" in entry:
        sys.exit(f"{entry['name']}: {entry['problem']}")
    kernels = entry["kernels"]
    return (
        sum(each["launches"] for each in kernels),
        round(sum(each["predicted"]["instructions"] for each in kernels)),
        sum(each["bytes_read"] + each["bytes_written"] for each in kernels),
    )


def predicted(attnc):
    return {
        (model, entry["name"]): countsOf(entry)
        for model, (settings, sizes) in MODELS.items()
        for entry in explain(attnc, model, settings, sizes)
    }


def unlisted():
    for source in sorted(EXAMPLES.rglob("*.attn")):
        model = source.relative_to(EXAMPLES).with_suffix("").as_posix()
        if model not in MODELS and model not in PARTS:
            yield f"examples/{model}.attn is not in MODELS of {pathlib.Path(__file__).name}: give it sizes there"


def recorded():
    lines = [line.split() for line in RECORD.read_text().splitlines()[1:]]
    return {(model, entry): tuple(map(int, counts)) for model, entry, *counts in lines}


def write(found):
    rows = [("model", "entry") + COUNTS] + [key + tuple(map(str, counts)) for key, counts in found.items()]
    widths = [max(map(len, column)) for column in zip(*rows)]
    aligned = [
        [cell.ljust(width) if place < 2 else cell.rjust(width) for place, (cell, width) in enumerate(zip(row, widths))]
        for row in rows
    ]
    lines = [" ".join(row) for row in aligned]
    RECORD.write_text("\n".join(lines) + "\n")


def differences(found, wanted):
    for key in sorted(found.keys() ^ wanted.keys()):
        yield f"{' '.join(key)}: {'not recorded' if key in found else 'recorded, but there is no such entry point'}"
    for key in sorted(found.keys() & wanted.keys()):
        for what, now, before in zip(COUNTS, found[key], wanted[key]):
            if abs(now - before) > ALLOWED * before:
                yield f"{' '.join(key)}: {before} {what} are recorded, {now} predicted ({now / max(1, before):.2f} times)"


def main(attnc, accept=None):
    if missing := list(unlisted()):
        sys.exit("\n".join(missing))
    found = predicted(attnc)
    if accept:
        return write(found)
    bad = list(differences(found, recorded()))
    for line in bad:
        print(line, file=sys.stderr)
    if bad:
        sys.exit(f"if intended, record it with {pathlib.Path(__file__).name} ATTNC --accept and explain it in the commit")


main(*sys.argv[1:])
