"""Compares the keys that a page lists with those of files: CheckKeys.py PAGE JSON..."""
import json
import re
import sys


def keys(value, path=""):
    if isinstance(value, dict):
        for name, each in value.items():
            yield from keys(each, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for each in value:
            yield from keys(each, path + "[]")
    else:
        yield path


page = set(re.findall(r"^\| `([^`]+)` \|", open(sys.argv[1], encoding="utf-8").read(), flags=re.M))
found = set()
for name in sys.argv[2:]:
    found |= set(keys(json.load(open(name, encoding="utf-8"))))
print("the page lacks:", *sorted(found - page))
print("the files lack:", *sorted(page - found))
sys.exit(page != found)
