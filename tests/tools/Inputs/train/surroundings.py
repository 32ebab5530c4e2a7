"""Trainings under adverse conditions of the operating system; the name of a case is the expected behaviour.

usage: surroundings.py ATTNC OBJECT TEXT FOLDER LIBRARY [WITHOUT]

LIBRARY is libfaulty-calls.so (tests/support/FaultyCalls.c), WITHOUT the name of a case to skip.
"""
import errno
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

from training import Training, finish, kill, wait_until

attnc, model, text, place, library, *without = sys.argv[1:]
training = Training(attnc, model, text, place)
ENDLESS = 10**9


def expect(what, holds, said=""):
    if not holds:
        sys.exit(f"{what}\n{said}")


def expect_error(what, process, pattern):
    said = finish(process)
    expect(f"{what}: ended with {process.returncode}", process.returncode == 1, said)
    expect(f"{what}: expected {pattern}", re.search(pattern, said), said)
    return said


def running(name, **settings):
    """Starts a training without end; returns it after its first checkpoint."""
    process = training.start(name, steps=ENDLESS, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **settings)
    wait_until(f"{name} has a checkpoint", lambda: training.has_checkpoint(name))
    return process


def refuses_a_second_trainer():
    first = running("shared")
    lock = training.folder("shared") + "/run.lock"
    holder = rf"another training writes to \S*/shared \(process {first.pid} on .+ since .+ UTC\); give each a separate folder"
    expect_error("a second one", training.start("shared"), holder)
    os.remove(lock)  # the next checkpoint creates it again
    wait_until("the lock is there again", lambda: os.path.exists(lock))
    expect_error("a second one", training.start("shared"), holder)
    first.kill()
    first.wait()
    expect("a killed one leaves the lock's file", os.path.exists(lock))
    training.expect_success(training.start("shared", steps=1))
    expect("the lock's file is gone", not os.path.exists(lock))


def saves_when_stopped():
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        name = f"stopped-{number.name}"
        process = training.start(name, steps=ENDLESS, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
        wait_until(f"{name} has a checkpoint", lambda: training.has_checkpoint(name))
        status, said = kill(process, number)
        done = re.search(r"stopped after (\d+) steps; continue by --resume", said)
        expect(f"{number.name}: ended with {status}", status == -number and done, said)
        expect(f"{number.name}: no part is left", not [each for each in training.contents(name) if each.count(".") > 1])
        training.expect_success(training.start(name, steps=int(done[1]) + 1))
        training.copy(None, "whole-again")
        training.expect_success(training.start("whole-again", steps=int(done[1]) + 1))
        same = training.contents(name)["checkpoint.safetensors"] == training.contents("whole-again")["checkpoint.safetensors"]
        expect(f"{number.name}: the same bits", same)


def goes_on_when_signals_are_ignored():
    process = running("nohup", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    size = os.path.getsize(training.folder("nohup") + "/history.csv")
    process.send_signal(signal.SIGHUP)
    wait_until("goes on", lambda: os.path.getsize(training.folder("nohup") + "/history.csv") > size + 100)
    kill_quietly(process)


def kill_quietly(process):
    process.kill()
    process.wait()


def goes_on_when_files_are_limited():
    """`ulimit -f`: the signal is ignored, and writes beyond the limit fail as on a full disk."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

    said = expect_error("ulimit -f", training.start("limited", preexec_fn=limit), "checkpoint.safetensors: .*File too large")
    expect("ulimit -f: goes on to its end", "step 8/8" in said, said)
    expect("ulimit -f: the rest is written", "report.html" in training.contents("limited"))
    training.expect_resumed("limited", "ulimit -f")


def goes_on_when_nobody_reads():
    with open("/dev/full", "wb") as full:
        training.expect_success(training.start("full-terminal", stderr=full))
    training.expect_whole("full-terminal", "messages that cannot be written")
    reading, writing = os.pipe()
    os.close(reading)
    training.expect_success(training.start("unread", stderr=writing))
    os.close(writing)
    training.expect_whole("unread", "a pipe that nobody reads")
    training.expect_success(training.start("closed", preexec_fn=lambda: os.close(2)))
    training.expect_whole("closed", "standard error closed")
    closed = training.start("mute", preexec_fn=lambda: os.close(1))
    expect_error("standard output closed", closed, "can't write to the standard output: Bad file descriptor")
    training.expect_whole("mute", "standard output closed")
    weights = training.folder("unread-warning") + "/weights.safetensors"
    os.makedirs(weights)  # a folder, which no file replaces
    reading, writing = os.pipe()
    os.close(reading)
    process = training.start("unread-warning", stderr=writing)
    os.close(writing)
    said = finish(process)
    expect(f"a warning that nobody reads: ended with {process.returncode}", process.returncode == 1, said)
    os.rmdir(weights)
    expect("a warning that nobody reads: the report is written", "report.html" in training.contents("unread-warning"))
    training.expect_resumed("unread-warning", "a warning that nobody reads")


def refuses_the_checkpoint_of_another_run():
    """Also if one of the calls that look for it fails."""
    training.copy("whole", "other")
    log, seen = training.folder("calls.log"), set()
    refused = "has the checkpoint of another run|; give another folder|; give a writable folder"
    before = training.contents("other").items()
    for at in range(1, 10**6):
        environment = dict(os.environ, LD_PRELOAD=library, FAULT_FOLDER=training.folder("other"), FAULT_LOG=log)
        environment |= {"FAULT_AT": str(at), "FAULT_KIND": str(errno.EACCES)}
        said = expect_error(f"call {at}", training.start("other", resume=False, env=environment), refused)
        expect(f"call {at}: all is as it was", before <= training.contents("other").items(), said)
        with open(log, encoding="utf-8") as file:
            calls = [line.split()[0] for line in file]
        os.remove(log)
        if calls == ["calls"]:  # no call has this number
            break
        seen.add(calls[0])
    expect("the checkpoint is looked up", "access" in seen, str(seen))


def leaves_other_folders_alone():
    with open(training.folder("file"), "w", encoding="utf-8") as file:
        file.write("no folder")
    expect_error("a file", training.start("file"), "/file: ")
    for number in [errno.EACCES, errno.EROFS]:
        os.makedirs(training.folder("readonly"), exist_ok=True)
        environment = dict(os.environ, LD_PRELOAD=library, FAULT_FOLDER=training.folder("readonly"), FAULT_KIND=str(number))
        process = training.start("readonly", env=environment | {"FAULT_AT": "3"})
        expect_error("read-only", process, rf"readonly/run.lock: can't be written: {os.strerror(number)}")
        expect("read-only: nothing is written", not os.listdir(training.folder("readonly")))
    process = training.start("moved", steps=ENDLESS)
    wait_until("moved has a checkpoint", lambda: training.has_checkpoint("moved"))
    os.rename(training.folder("moved"), training.folder("elsewhere"))
    os.mkdir(training.folder("moved"))
    process.send_signal(signal.SIGTERM)
    expect_error("moved", process, "moved is no longer the folder that this training began in")
    expect("moved: nothing is written", not os.listdir(training.folder("moved")))
    process = training.start("removed", steps=ENDLESS)
    wait_until("removed has a checkpoint", lambda: training.has_checkpoint("removed"))
    os.rename(training.folder("removed"), training.folder("trash"))
    shutil.rmtree(training.folder("trash"), ignore_errors=True)
    process.send_signal(signal.SIGTERM)
    expect_error("removed", process, "removed is no longer the folder")


for case in [refuses_a_second_trainer, saves_when_stopped, goes_on_when_signals_are_ignored,
             goes_on_when_files_are_limited, goes_on_when_nobody_reads, refuses_the_checkpoint_of_another_run,
             leaves_other_folders_alone]:
    if case.__name__ not in without:
        case()
        print(case.__name__.replace("_", " "))
