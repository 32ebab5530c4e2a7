"""Ends a reduction by a signal while a command runs that has started another: interrupt.py SIGNAL MODEL

The command writes what it has started to a file and waits. Afterwards nothing of it is left, nor a folder of candidates.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

name, model = sys.argv[1:]
number = getattr(signal, name)
place = tempfile.mkdtemp()
started = os.path.join(place, "started")
folder = os.path.join(place, "tmp")
os.mkdir(folder)
script = os.path.join(place, "waits")
with open(script, "w", encoding="utf-8") as file:
    file.write(f"#!/bin/sh\nsleep 300 &\necho $! > {started}.new\nmv {started}.new {started}\nwait\n")
os.chmod(script, 0o755)


def until(what, holds):
    for _ in range(600):
        if holds():
            return
        time.sleep(0.05)
    sys.exit(f"after 30 s: {what}")


def is_gone(process):
    try:
        return open(f"/proc/{process}/stat", encoding="utf-8").read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


command = ["env", "--default-signal=INT", "attn-reduce", model, "--gigabytes", "0", "--test", script, "--seconds", "250"]
command += ["-o", place + "/small.attn"]
reduce = subprocess.Popen(command, env={**os.environ, "TMPDIR": folder}, stderr=subprocess.PIPE, text=True)
until("no command runs", lambda: os.path.exists(started))
grandchild = int(open(started, encoding="utf-8").read())
reduce.send_signal(number)
said = reduce.communicate(timeout=30)[1]
until("what the command has started still runs", lambda: is_gone(grandchild))
print(said, end="")
print("ended by", signal.Signals(-reduce.returncode).name if reduce.returncode < 0 else reduce.returncode)
print("left:", os.listdir(folder))
