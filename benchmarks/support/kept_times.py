"""Measured times that a benchmark stores in a folder, with the identity of the attnc that measured them."""
import datetime
import hashlib
import json
import pathlib
import subprocess
import sys


def identity_of(attnc):
    """The hash that identifies an attnc; for messages, its build time and its commit."""
    path = pathlib.Path(attnc)
    built = datetime.datetime.fromtimestamp(path.stat().st_mtime).isoformat(" ", "seconds")
    commit = subprocess.run(["git", "-C", path.parent, "describe", "--always", "--dirty"], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True).stdout.strip()
    return {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "built": built, "commit": commit}


def check_kept(keep, attnc, is_complete):
    """Checks that the times of a folder are from this attnc, or complete; a message names the attnc that measured."""
    file, own = keep / "attnc.json", identity_of(attnc)
    is_empty = not any(keep.glob("*.json"))
    if is_empty:
        file.write_text(json.dumps(own))
    kept = json.loads(file.read_text()) if file.exists() else {}
    if kept.get("sha256") == own["sha256"]:
        return
    other = f"an attnc built {kept['built']} ({kept['commit']})" if kept else "an unknown attnc"
    if kept and not is_complete:
        sys.exit(f"{keep} has times from {other}, and this one, built {own['built']} ({own['commit']}), would add its "
                 "own: give another --keep, or --attnc")
    print(f"times of {keep}, from {other}, not from this one, built {own['built']} ({own['commit']})")
