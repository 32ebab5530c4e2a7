"""Trains a model, and kills the trainer by SIGKILL at random instants: each time it goes on from its checkpoint.

usage: killed-training.py ATTNC OBJECT TEXT FOLDER KILLS

What comes out must be, to the bit, what a training that nobody disturbed gives, and its history the same.
"""
import random, shutil, signal, subprocess, sys, time, os

attnc, model, text, folder, kills = sys.argv[1:5] + [int(sys.argv[5])]
steps = "24"
common = ["--data", text, "--steps", steps, "--batch", "2", "--seq", "16", "--save-every", "2", "--validate-every", "20"]


def train(where, *more):
    command = [attnc, "train", model, "-o", where, *common, *more]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(process):
    message = process.communicate()[1].decode()
    if process.returncode != 0:
        sys.exit(f"the trainer ended with {process.returncode}: {message}")


def has_checkpoint(where):
    return os.path.exists(where + "/checkpoint.safetensors")


def outcome(where):
    contents = []
    for name in ["checkpoint.safetensors", "history.csv"]:
        with open(f"{where}/{name}", "rb") as file:
            contents.append(file.read())
    return contents


start = time.time()
finish(train(folder + "/whole"))
whole = time.time() - start
expected = outcome(folder + "/whole")
random.seed(7)
killed = folder + "/killed"
for number in range(kills):
    threads = ["--threads", str(1 + number % 3)]
    process = train(killed, *threads, *(["--resume"] if has_checkpoint(killed) else []))
    time.sleep(random.uniform(0, 1.2 * whole))
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()
    if not has_checkpoint(killed):
        continue
    if number % 10 == 0:  # what lies there is whole at any instant
        shutil.copytree(killed, folder + "/copy", dirs_exist_ok=True)
        finish(train(folder + "/copy", "--resume"))
        if outcome(folder + "/copy") != expected:
            sys.exit(f"kill {number}: other bits, or another history, than without it")
        if random.random() < 0.5:
            shutil.rmtree(killed)
print("the same bits after every kill")
