"""CheckQuoted.py PAGE TITLE OUTPUT [shape]: a title and the lines that PAGE quotes below it are lines of the command's
output, in this order; with `shape`, numbers with a point may differ in value and width."""

import re
import sys

page, title, output = sys.argv[1:4]


def read(line):
    return re.sub(r"\s+", " ", re.sub(r"\d+\.\d+", "#", line)).strip() if sys.argv[4:] == ["shape"] else line


quoted, is_quoted = [], False
for line in open(page):
    is_quoted = line.startswith("    ") and (is_quoted or line[4:].strip().startswith(title))
    if is_quoted:
        quoted.append(line[4:])
printed = map(read, open(output))
missing = [line for line in quoted if read(line) not in printed]
if not quoted or missing:
    sys.exit(f"{page} has no {title}" if not quoted else f"{output} has no line after the previous one:\n{missing[0]}")
