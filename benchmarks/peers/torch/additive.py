"""Additive attention in PyTorch, unfused, one thread, fp32: 1024 queries and keys of 64 features.

Prints milliseconds of the forward, and of the backward alone.
"""
import statistics
import time

import torch

LENGTH, DIM, ROUNDS = 1024, 64, 5

torch.set_num_threads(1)
torch.set_flush_denormal(True)
ws, uh, v, cotangent = (torch.randn(LENGTH, DIM) for _ in range(4))
va = torch.randn(DIM) / 4
for each in (ws, uh, v, va):
    each.requires_grad_()
forward, backward = [], []
for _ in range(ROUNDS + 1):
    for each in (ws, uh, v, va):
        each.grad = None
    start = time.perf_counter()
    scores = torch.tanh(ws[:, None] + uh[None]) @ va
    y = torch.softmax(scores, -1) @ v
    middle = time.perf_counter()
    y.backward(cotangent)
    end = time.perf_counter()
    forward.append(middle - start)
    backward.append(end - middle)
milliseconds = [1e3 * statistics.median(each[1:]) for each in (forward, backward)]
print(f"PyTorch {torch.__version__}: additive attention, S={LENGTH} d={DIM}  forward {milliseconds[0]:8.1f} ms, "
      f"backward {milliseconds[1]:8.1f} ms", flush=True)
