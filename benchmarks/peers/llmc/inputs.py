"""Writes the inputs of llm.c's train_gpt2: a GPT-2 124M of random values, and random tokens.

    inputs.py FOLDER      FOLDER: a checkout of llm.c
"""
import os
import sys

import numpy as np

LAYERS, DIM, CONTEXT, VOCAB, PADDED = 12, 768, 1024, 50257, 50304


def write_model(path):
    header = np.zeros(256, np.int32)
    header[:8] = [20240326, 3, CONTEXT, VOCAB, LAYERS, 12, DIM, PADDED]
    matrices = [PADDED * DIM, CONTEXT * DIM]
    each = [DIM, DIM, 3 * DIM * DIM, 3 * DIM, DIM * DIM, DIM, DIM, DIM, 4 * DIM * DIM, 4 * DIM, 4 * DIM * DIM, DIM]
    count = sum(matrices) + LAYERS * sum(each) + 2 * DIM
    random = np.random.default_rng(1)
    with open(path, "wb") as file:
        header.tofile(file)
        (0.02 * random.standard_normal(count, np.float32)).tofile(file)


def write_tokens(path, count):
    header = np.zeros(256, np.int32)
    header[:3] = [20240520, 1, count]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        header.tofile(file)
        np.random.default_rng(2).integers(0, VOCAB, count).astype(np.uint16).tofile(file)


folder = sys.argv[1]
write_model(folder + "/gpt2_124M.bin")
for part in ("train", "val"):
    write_tokens(f"{folder}/dev/data/tinyshakespeare/tiny_shakespeare_{part}.bin", 65536)
