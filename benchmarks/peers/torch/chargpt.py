"""Trains examples/chargpt in PyTorch: the same initial values, batches, hyperparameters and steps as `attnc train`.

    chargpt.py WEIGHTS TEXT STEPS     WEIGHTS: initial parameters, as `attnc train --steps 0` leaves them

Prints the validation loss over the whole held-out tenth, and the time of the steps without the validation.
"""
import json
import math
import os
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

BATCH, SEQ, LAYERS, HEADS, DIM = 8, 128, 5, 4, 128
RATE, WARM, BETAS, EPSILON, DECAY, CLIP = 3e-3, 100, (0.9, 0.99), 1e-8, 0.1, 1.0
ORDER = 0x6F72646572  # the random stream of the order of the data, see tools/attnc/Data/TrainingData.h


def philox(seed, stream, block):
    """The four words of a block, as in attn/random.h."""
    c = [block & 0xFFFFFFFF, block >> 32, stream & 0xFFFFFFFF, stream >> 32]
    k = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & 0xFFFFFFFF, (p0 >> 32) ^ c[3] ^ k[1], p0 & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def starts(step, choices, seed=0):
    draws = (step * BATCH + row for row in range(BATCH))
    return [int((philox(seed, ORDER, i // 4)[i % 4] + 0.5) * 2.0**-32 * choices) for i in draws]


def read_safetensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    header.pop("__metadata__", None)
    return {
        name: torch.from_numpy(
            np.frombuffer(data[info["data_offsets"][0]:info["data_offsets"][1]], np.float32)
            .reshape(info["shape"]).copy()).requires_grad_()
        for name, info in header.items()
    }


def linear(p, name, x):
    return F.linear(x, p[name + ".weight"], p[name + ".bias"])


def norm(p, name, x):
    return F.layer_norm(x, (DIM,), p[name + ".weight"], p[name + ".bias"], 1e-5)


def attention(p, name, x, hidden):
    batch, seq, _ = x.shape
    q, k, v = linear(p, name + ".qkv", x).view(batch, seq, 3, HEADS, DIM // HEADS).permute(2, 0, 3, 1, 4)
    scores = (q @ k.transpose(-1, -2) / math.sqrt(DIM // HEADS)).masked_fill(hidden, -math.inf)
    y = F.softmax(scores, -1) @ v
    return linear(p, name + ".out", y.transpose(1, 2).reshape(batch, seq, DIM))


def loss(p, tokens, targets):
    seq = tokens.shape[1]
    hidden = torch.ones(seq, seq, dtype=torch.bool).triu(1)
    x = p["token.weight"][tokens] + p["position.weight"][:seq]
    for layer in range(LAYERS):
        block = f"blocks.{layer}."
        x = x + attention(p, block + "mix", norm(p, block + "norm1", x), hidden)
        h = F.gelu(linear(p, block + "mlp.up", norm(p, block + "norm2", x)), approximate="tanh")
        x = x + linear(p, block + "mlp.down", h)
    logits = norm(p, "final", x) @ p["token.weight"].T
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten().long())


def rate(t, steps):
    return RATE * t / WARM if t < WARM else RATE * 0.5 * (1 + math.cos(math.pi * min((t - WARM) / (steps - WARM), 1)))


def windows(text, places):
    rows = np.stack([text[start:start + SEQ + 1] for start in places]).astype(np.int64)
    return torch.from_numpy(rows[:, :-1]), torch.from_numpy(rows[:, 1:])


def validate(p, text, split):
    places = range(split, len(text) - SEQ, SEQ)
    total = 0.0
    with torch.no_grad():
        for first in range(0, len(places), 64):
            some = places[first:first + 64]
            total += loss(p, *windows(text, some)).item() * len(some)
    return total / len(places)


def main():
    weights, path, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
    torch.set_flush_denormal(True)
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    p = read_safetensors(weights)
    text = np.fromfile(path, np.uint8)
    split = int(len(text) * 0.9)
    groups = [{"params": [t for t in p.values() if t.dim() >= 2], "weight_decay": DECAY},
              {"params": [t for t in p.values() if t.dim() < 2], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=RATE, betas=BETAS, eps=EPSILON)
    start = time.perf_counter()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate(step + 1, steps)
        optimizer.zero_grad(set_to_none=True)
        loss(p, *windows(text, starts(step, split - SEQ - 1))).backward()
        torch.nn.utils.clip_grad_norm_(p.values(), CLIP)
        optimizer.step()
    seconds = time.perf_counter() - start
    print(f"PyTorch {torch.__version__}: validation {validate(p, text, split):.4f} nats a byte, "
          f"{steps} steps in {seconds:.1f} s, {torch.get_num_threads()} threads")


main()
