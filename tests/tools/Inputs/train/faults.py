"""Fault injection for training: kills at random times, and a fault in each call on a file of the run.

usage: faults.py ATTNC OBJECT TEXT FOLDER LIBRARY [--kills N] [--every K] [--seed S]

LIBRARY is libfaulty-calls.so (tests/support/FaultyCalls.c). N processes are killed (15); every K-th call fails once (29), in
a new training and in a resumed one. After each fault the folder has a complete checkpoint if it had one before, and a
training that is resumed from it writes the same bits as an undisturbed one, and no other files. A resumed training that ends
before its first step has changed no file.
"""
import argparse
import errno
import os
import random
import re
import shutil
import signal
import sys
import time

from training import Training, finish, kill, wait_until

parser = argparse.ArgumentParser()
for name in ["attnc", "model", "text", "folder", "library"]:
    parser.add_argument(name)
parser.add_argument("--kills", type=int, default=15)
parser.add_argument("--every", type=int, default=29)
parser.add_argument("--seed", type=int, default=7)
options = parser.parse_args()
training = Training(options.attnc, options.model, options.text, options.folder)
log = training.folder("calls.log")
random.seed(options.seed)

KINDS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EINTR": errno.EINTR, "short": "short", "full": "full", "kill": "kill"}


def run_with(name, kind, at):
    """Runs a training with a fault in call `at` on its folder; returns its status, its output, and the library's log."""
    if os.path.exists(log):
        os.remove(log)
    environment = dict(os.environ, LD_PRELOAD=options.library, FAULT_FOLDER=training.folder(name), FAULT_LOG=log)
    environment |= {"FAULT_AT": str(at), "FAULT_KIND": str(KINDS.get(kind, "none"))}
    process = training.start(name, env=environment)
    said = finish(process)
    with open(log, encoding="utf-8") as file:
        logged = file.read()
    return process.returncode, said, logged


def try_fault(source, kind, at):
    """Returns whether the run succeeded despite the fault."""
    name = "faulty"
    training.copy(source, name)
    status, said, logged = run_with(name, kind, at)
    what = f"{kind} in call {at} ({logged.split()[0]}) of a {'resumed' if source else 'new'} training"
    if "Stack dump" in said or status not in {0, 1, -9} or (status == -9) != (kind == "kill"):
        sys.exit(f"{what}: ended with {status}: {said}")
    if status == 1 and "attnc: error: " not in said:
        sys.exit(f"{what}: no message: {said}")
    if kind != "kill" and re.search(r"step \d", said) and "step 8/8" not in said:
        sys.exit(f"{what}: ended in the middle: {said}")
    if kind in ("EINTR", "short") and (status != 0 or "warning" in said):
        sys.exit(f"{what}: {said}")
    if source and not training.has_checkpoint(name):
        sys.exit(f"{what}: the checkpoint is gone")
    if source and status == 1 and not re.search(r"step \d", said):
        expect_unchanged(source, name, what)
    if status == 0 and not is_left(name):
        training.expect_whole(name, what)
    else:
        training.expect_resumed(name, what)
    return status == 0


def is_left(name):
    """Whether a temporary file could not be removed."""
    return any(each == "run.lock" or each.endswith((".part", ".tmp")) for each in os.listdir(training.folder(name)))


def expect_unchanged(source, name, what):
    """Expects that a resumed training that ended before its first step changed no file."""
    before, now = training.contents(source), training.contents(name)
    others = [each for each in before if now.get(each) != before[each]]
    if others:
        sys.exit(f"{what}: no step was taken, and {', '.join(others)} changed")


def has_begun(process, name):
    try:
        with open(training.folder(name) + "/run.lock", encoding="utf-8") as lock:
            return f"process {process.pid} " in lock.read() or process.poll() is not None
    except FileNotFoundError:
        return process.poll() is not None


def kill_at_random():
    """Kills trainings at random times between the lock of their folder and their normal end."""
    training.copy(None, "timed")
    process = training.start("timed")
    wait_until("it begins", lambda: has_begun(process, "timed"), 0.001)
    start = time.time()
    training.expect_success(process)
    lasts, name, killed, resumed = time.time() - start, "killed", 0, 0
    while killed < options.kills:
        process = training.start(name, threads=1 + killed % 3)
        wait_until("it begins", lambda: has_begun(process, name), 0.001)
        time.sleep(random.uniform(0, lasts))
        status, said = kill(process)
        if status not in {0, -signal.SIGKILL}:
            sys.exit(f"ended with {status}: {said}")
        killed += status != 0
        if random.random() < 0.25:  # the files are sufficient at any time
            training.expect_resumed(name, f"kill {killed}")
            shutil.rmtree(training.folder(name))
            resumed += 1
    print(f"{killed} kills, {resumed} resumed to the end: the same bits, and nothing left behind", flush=True)


training.expect_success(training.start("half", steps=4))
kill_at_random()
for source in [None, "half"]:
    training.copy(source, "counted")
    status, said, logged = run_with("counted", "none", 0)
    count = int(re.search(r"calls (\d+)", logged)[1])
    for kind in KINDS:
        numbers = range(1 + random.randrange(options.every), count + 1, options.every)
        good = sum(try_fault(source, kind, number) for number in numbers)
        print(f"{kind} in {len(numbers)} of {count} calls of a {'resumed' if source else 'new'} training: "
              f"{good} succeeded at once, all after a resumption", flush=True)
