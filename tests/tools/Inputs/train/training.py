"""A small training for tests of disturbances: the files that an undisturbed one writes, and comparisons with them."""
import os
import shutil
import signal
import subprocess
import sys
import time


class Training:
    """Trainings of one model on one text. Each writes to a folder in `place`."""

    def __init__(self, attnc, model, text, place, steps=8, every=2):
        self.attnc, self.model, self.text, self.place, self.steps, self.every = attnc, model, text, place, steps, every
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        self.expect_success(self.start("whole"))
        self.expected = self.contents("whole")

    def folder(self, name):
        return os.path.join(self.place, name)

    def start(self, name, steps=None, threads=1, resume=True, **settings):
        """Starts a training; resumes from the checkpoint in its folder, if there is one, unless `resume` is false."""
        command = [self.attnc, "train", self.model, "-o", self.folder(name), "--data", self.text]
        command += ["--steps", str(steps or self.steps), "--batch", "2", "--seq", "16", "--threads", str(threads)]
        command += ["--save-every", str(self.every), "--validate-every", str(self.every), "--validation-batches", "1"]
        command += ["--resume"] if resume and self.has_checkpoint(name) else []
        settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings}
        return subprocess.Popen(command, **settings)

    def has_checkpoint(self, name):
        return os.path.exists(self.folder(name) + "/checkpoint.safetensors")

    def contents(self, name):
        """The bytes of all files, by name."""
        found = {}
        for each in sorted(os.listdir(self.folder(name))):
            with open(os.path.join(self.folder(name), each), "rb") as file:
                found[each] = file.read()
        return found

    def copy(self, source, name):
        shutil.rmtree(self.folder(name), ignore_errors=True)
        if source:
            shutil.copytree(self.folder(source), self.folder(name))

    def expect_success(self, process):
        said = finish(process)
        if process.returncode != 0:
            sys.exit(f"{' '.join(process.args)} ended with {process.returncode}: {said}")

    def expect_whole(self, name, what):
        """Expects that the folder has exactly the files of an undisturbed training, with the same bits."""
        found = self.contents(name)
        if found.keys() != self.expected.keys():
            sys.exit(f"{what}: {name} has {sorted(found)}, expected {sorted(self.expected)}")
        others = [each for each in found if found[each] != self.expected[each]]
        if others:
            sys.exit(f"{what}: other bits in {', '.join(others)}")

    def expect_resumed(self, name, what):
        """Expects that a training resumed from the files of an ended one writes the files of an undisturbed one."""
        self.expect_success(self.start(name))
        self.expect_whole(name, what)


def wait_until(what, holds, seconds=0.025):
    """Polls `holds` every `seconds`, for up to a minute."""
    end = time.time() + 60
    while not holds():
        if time.time() > end:
            sys.exit(f"not after a minute: {what}")
        time.sleep(seconds)


def finish(process):
    """Waits for the end of a process, and returns its output."""
    return b"".join(text or b"" for text in process.communicate()).decode()


def kill(process, number=signal.SIGKILL):
    """Ends a process by a signal, and returns its status and its output."""
    process.send_signal(number)
    said = finish(process)
    return process.returncode, said
