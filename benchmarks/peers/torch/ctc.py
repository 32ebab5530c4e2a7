"""Connectionist temporal classification in PyTorch, fp32: 32 rows of 200 frames, 40 labels, 41 classes with the blank.

ctc.py FOLDER [THREADS] prints milliseconds of the loss and its gradient, and writes the inputs to .npy files in FOLDER.
"""
import pathlib
import statistics
import sys
import time

import numpy
import torch

BATCH, TIME, CLASSES, LABELS, ROUNDS = 32, 200, 41, 40, 40

folder, threads = pathlib.Path(sys.argv[1]), int(sys.argv[2])
torch.set_num_threads(threads)
torch.manual_seed(0)
logp = torch.log_softmax(torch.randn(BATCH, TIME, CLASSES), 2)
labels = torch.randint(1, CLASSES, (BATCH, LABELS))
frames, lengths = torch.full((BATCH,), TIME), torch.full((BATCH,), LABELS)
for name, tensor in {"logp": logp, "labels": labels, "frames": frames, "lengths": lengths}.items():
    numpy.save(folder / f"{name}.npy", tensor.numpy().astype("f4" if name == "logp" else "i4"))

# PyTorch's layout is [time, batch, classes].
logp = logp.transpose(0, 1).contiguous().requires_grad_()
seconds = []
for _ in range(ROUNDS + 1):
    logp.grad = None
    start = time.perf_counter()
    loss = torch.nn.functional.ctc_loss(logp, labels, frames, lengths, reduction="none").mean()
    loss.backward()
    seconds.append(time.perf_counter() - start)
print(f"PyTorch {torch.__version__}, {threads} threads: {1e3 * statistics.median(seconds[1:]):.2f} ms, "
      f"loss {loss.item():.4f}", flush=True)
