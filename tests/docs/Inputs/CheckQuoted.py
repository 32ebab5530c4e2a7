"""CheckQuoted.py PAGE TITLE OUTPUT: the lines that a page quotes below a title of a command's output, and the title, are
lines of it, in this order."""

import sys

page, title, output = sys.argv[1:]
quoted, is_quoted = [], False
for line in open(page):
    is_quoted = line.startswith("    ") and (is_quoted or line.startswith("    " + title))
    if is_quoted:
        quoted.append(line[4:])
said = iter(open(output))
missing = [line for line in quoted if line not in said]
if not quoted or missing:
    sys.exit(f"{page} has no {title}" if not quoted else f"{output} has no line behind the one before:\n{missing[0]}")
