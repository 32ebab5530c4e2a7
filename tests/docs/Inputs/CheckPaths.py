#!/usr/bin/env python3
"""Paths that documents name in backticks exist: CheckPaths.py SOURCE_ROOT

A path starts with a top-level folder. `{a,b}` stands for each alternative, `*` for any name, `<Kind>` for any folder.
"""
import pathlib
import re
import sys

FOLDERS = "benchmarks cmake compiler dialects docs examples frontends runtime scripts tests tools".split()
PATH = re.compile(r"(?:%s)/[\w./*{},<>+-]*" % "|".join(FOLDERS))


def alternatives(text):
    found = re.search(r"\{([^{}]*)\}", text)
    if not found:
        return [text]
    return [path for each in found.group(1).split(",")
            for path in alternatives(text[:found.start()] + each + text[found.end():])]


def exists(root, path):
    pattern = re.sub(r"<[\w-]+>", "*", path).rstrip("/.")
    return any(root.glob(pattern)) if "*" in pattern else (root / pattern).exists()


def main():
    root = pathlib.Path(sys.argv[1])
    documents = [*root.glob("*.md"), *root.glob("docs/*.md"), *root.glob("docs/*/*.md"), *root.glob("*/**/README.md")]
    documents = [path for path in documents if not {"build", "corpus"} & set(path.relative_to(root).parts)]
    count = 0
    wrong = []
    for document in sorted(set(documents)):
        if document.name == "CHANGELOG.md":
            continue
        for number, line in enumerate(document.read_text(encoding="utf-8").split("\n"), 1):
            for quoted in re.findall(r"`([^`]+)`", line):
                if not PATH.fullmatch(quoted):
                    continue
                for path in alternatives(quoted):
                    count += 1
                    if not exists(root, path):
                        wrong.append(f"{document.relative_to(root)}:{number}: {path} does not exist")
    print(*wrong, sep="\n")
    if count < 200:
        sys.exit(f"only {count} paths found in {root}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
