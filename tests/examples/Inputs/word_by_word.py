"""Tags sentences word by word: word_by_word.py ATTNC OBJECT ROWS.safetensors FOLDER

Compares the tags of the entry point `next`, which gets one word of each sentence in a call, with those of `online`,
which gets whole sentences, with random parameters."""
import json
import pathlib
import struct
import subprocess
import sys

from tensors import read_tensors

attnc, model, rows, folder = sys.argv[1:]
folder = pathlib.Path(folder)


def write(path, tensors):
    header, body = {}, b""
    for name, (shape, numbers) in tensors.items():
        added = struct.pack(f"<{len(numbers)}i", *numbers)
        header[name] = {"dtype": "I32", "shape": shape, "data_offsets": [len(body), len(body) + len(added)]}
        body += added
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def run(entry, output, **inputs):
    command = [attnc, "run", model, "--entry", entry, "--seed", "1", "--output", output]
    for name, value in inputs.items():
        command += ["--input", f"{name}={value}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


(count, words), text = read_tensors(rows)["text"]
run("online", folder / "online.safetensors", text=f"{rows}:text")
_, whole = read_tensors(folder / "online.safetensors")["online"]
states = {}
wrong = 0
for word in range(words):
    write(folder / "word.safetensors", {"text": ([count, 1], text[word::words]), "length": ([count], [word] * count)})
    inputs = {name: f"{folder / 'word.safetensors'}:{name}" for name in ("text", "length")}
    output = folder / f"step{word % 2}.safetensors"
    run("next", output, **inputs, **states)
    wrong += sum(a != b for a, b in zip(read_tensors(output)["next"][1], whole[word::words]))
    states = {name: f"{output}:{name}" for name in ("carried", "carried2")}
print(f"{count} sentences of {words} words, {len(set(whole))} different tags: {wrong} tags differ")
