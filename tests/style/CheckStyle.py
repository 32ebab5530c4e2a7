#!/usr/bin/env python3
"""What CONTRIBUTING.md asks of files and a machine can count: CheckStyle.py SOURCE_ROOT

Files have at most 600 lines, lines of code 120 columns, functions 60 lines, and nothing is left to do. Expected texts
of tests may be wider. What lies under `Inputs`, `corpus` and `data` is data.
"""
import pathlib
import re
import sys

LONGEST_FILE, LONGEST_LINE, LONGEST_FUNCTION = 600, 120, 60
FOLDERS = "benchmarks cmake compiler dialects docs examples frontends runtime scripts tests tools".split()
DATA = {"Inputs", "corpus", "data", "node_modules"}
CODE = {".c", ".cpp", ".h", ".td", ".def", ".js", ".py", ".cmake", ".attn", ".txt", ".md", ".in"}
HEAD = re.compile(r"^( {0,2})(?! )(?!(?:namespace|struct|class|enum|union|extern|if|for|while|switch|else|do|return)\b)"
                  r"[^#/}].*\)(?: const)?(?: noexcept)?(?: override)?(?: final)? \{$")


def files(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            relative = path.relative_to(root)
            if path.is_file() and path.suffix in CODE and not DATA & set(relative.parts):
                yield relative, path.read_text(encoding="utf-8")
    for path in sorted(root.glob("*.md")) + [root / "CMakeLists.txt"]:
        yield path.relative_to(root), path.read_text(encoding="utf-8")


def blank(match):
    return re.sub(r"[^\n]", "", match.group(0))


def without_raw_strings(text):
    """The text with raw strings gone, line for line: what they say cannot be broken."""
    return re.sub(r'R"(\w*)\(.*?\)\1"', blank, text, flags=re.S)


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", blank, text, flags=re.S)


def functions(text):
    """First line and length of each function of a file that clang-format has laid out."""
    lines = without_comments(without_raw_strings(text)).split("\n")
    number = 0
    while number < len(lines):
        head = HEAD.match(lines[number].rstrip())
        if not head:
            number += 1
            continue
        end = number + 1
        while end < len(lines) and not lines[end].startswith(head.group(1) + "}"):
            end += 1
        yield number + 1, end - number + 1
        number = end + 1


def may_be_long(relative, line):
    in_test = relative.parts[0] == "tests"
    return relative.suffix == ".md" or (in_test and (relative.suffix == ".attn" or '"' in line))


def check(relative, text):
    lines = without_raw_strings(text).split("\n")
    if len(lines) - 1 > LONGEST_FILE:
        yield f"{relative}: {len(lines) - 1} lines, at most {LONGEST_FILE}"
    for number, line in enumerate(lines, 1):
        if len(line.rstrip()) > LONGEST_LINE and not may_be_long(relative, line):
            yield f"{relative}:{number}: {len(line.rstrip())} columns, at most {LONGEST_LINE}"
        if re.search(r"\b(TO" r"DO|FIX" r"ME)\b", line) and relative.suffix not in {".md"}:
            yield f"{relative}:{number}: something is left to do"
    if relative.suffix in {".c", ".cpp", ".h"}:
        for first, length in functions(text):
            if length > LONGEST_FUNCTION:
                yield f"{relative}:{first}: a function of {length} lines, at most {LONGEST_FUNCTION}"


def main():
    root = pathlib.Path(sys.argv[1])
    count, wrong = 0, []
    for relative, text in files(root):
        count += 1
        wrong.extend(check(relative, text))
    print(*wrong, sep="\n")
    if count < 100:
        sys.exit(f"only {count} files found in {root}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
