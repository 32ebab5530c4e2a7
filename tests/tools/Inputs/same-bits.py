"""Trains a model 20 times, with 1 to 4 threads; half of the runs are interrupted and resumed with another number of threads.

usage: same-bits.py ATTNC OBJECT TEXT FOLDER
"""
import subprocess
import sys

attnc, model, text, folder = sys.argv[1:5]
common = ["--data", text, "--batch", "4", "--seq", "48", "--validate-every", "100", "--seed", "5"]


def train(where, steps, threads, *more):
    command = [attnc, "train", model, "-o", where, "--steps", str(steps), "--threads", str(threads), *common, *more]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def checkpoint(where):
    with open(where + "/checkpoint.safetensors", "rb") as file:
        return file.read()


expected = None
for run in range(20):
    where, threads = f"{folder}/{run}", 1 + run % 4
    if run // 4 % 2:
        train(where, 3, threads)
        train(where, 6, 1 + (threads + run) % 4, "--resume")
    else:
        train(where, 6, threads)
    expected = expected or checkpoint(where)
    if checkpoint(where) != expected:
        sys.exit(f"run {run}: other bits")
print("the same bits in 20 runs")
