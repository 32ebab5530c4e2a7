"""Prints a page after a browser has loaded it: open-page.py CHROMIUM PAGE."""
import pathlib
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as profile:
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    page = pathlib.Path(sys.argv[2]).resolve().as_uri()
    opened = subprocess.run([sys.argv[1], *flags, f"--user-data-dir={profile}", "--dump-dom", page],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60, check=True, text=True)
print(opened.stdout)
