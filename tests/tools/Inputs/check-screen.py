"""Checks that the summary of explain fits one screen: check-screen.py TEXT [LINES]."""
import sys

lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
most = int(sys.argv[2]) if len(sys.argv) > 2 else 30
assert len(lines) <= most, len(lines)
assert max(len(line) for line in lines) <= 120, max(lines, key=len)
