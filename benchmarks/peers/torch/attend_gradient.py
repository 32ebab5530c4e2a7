"""Attention's backward in PyTorch, one thread, fp32: 2 heads of 2048 queries and keys.

Prints milliseconds of the backward alone, and of forward and backward.
"""
import math
import statistics
import time

import torch

HEADS, SEQ, ROUNDS = 2, 2048, 5


def measure(dim, causal):
    q, k, v = (torch.randn(1, HEADS, SEQ, dim).requires_grad_() for _ in range(3))
    cotangent = torch.randn(1, HEADS, SEQ, dim)
    mask = torch.zeros(SEQ, SEQ).masked_fill(torch.ones(SEQ, SEQ, dtype=torch.bool).triu(1), -math.inf)
    whole, backward = [], []
    for _ in range(ROUNDS + 1):
        q.grad = k.grad = v.grad = None
        start = time.perf_counter()
        scores = q @ k.transpose(-1, -2) * dim**-0.5
        y = torch.softmax(scores + mask if causal else scores, -1) @ v
        middle = time.perf_counter()
        y.backward(cotangent)
        end = time.perf_counter()
        whole.append(end - start)
        backward.append(end - middle)
    return 1e3 * statistics.median(backward[1:]), 1e3 * statistics.median(whole[1:])


torch.set_num_threads(1)
torch.set_flush_denormal(True)
for dim in (64, 128):
    for causal in (False, True):
        backward, whole = measure(dim, causal)
        print(f"PyTorch {torch.__version__}: d={dim} {'causal' if causal else 'full  '}  backward {backward:8.1f} ms, "
              f"with forward {whole:8.1f} ms", flush=True)
