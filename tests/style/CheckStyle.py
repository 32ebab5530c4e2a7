#!/usr/bin/env python3
"""The rules of CONTRIBUTING.md that a script can check: CheckStyle.py SOURCE_ROOT

Files have at most 600 lines, lines of code 120 columns, functions 60 lines, and nothing is left to do. Expected texts
of tests may be wider. No sentence of a comment or a document opens with a word of OPENER, unless it is a question.
Files under `Inputs`, `corpus` and `data` are data.
"""
import pathlib
import re
import sys

LONGEST_FILE, LONGEST_LINE, LONGEST_FUNCTION = 600, 120, 60
FOLDERS = "benchmarks cmake compiler dialects docs examples frontends runtime scripts tests tools".split()
DATA = {"Inputs", "corpus", "data", "node_modules"}
CODE = {".c", ".cpp", ".h", ".td", ".def", ".js", ".py", ".cmake", ".attn", ".txt", ".md", ".in"}
# Text whose braces are not code. Numbers come first: the separator in 1'000 does not open a character.
OPAQUE = re.compile(r"""(\b\d[\w'.]*)|//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\2"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'"""
                    r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
# Words that open a sentence only if it is a question.
OPENER = re.compile(r"\b(?:What|Whoever|Those|Such|Of)\b")
# Literals, and in the only group prose: comments and descriptions of ops; comments and docstrings.
CODE_PROSE = re.compile(r"""\b\d[\w'.]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'"""
                        r"|(//[^\n]*|/\*.*?\*/|(?<=description = )\[\{.*?\}\])", re.S)
SCRIPT_PROSE = re.compile(r"""(\"{3}.*?\"{3}|\#[^\n]*)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)
# Blocks of code in a document; quotations in any prose.
CODE_BLOCK = re.compile(r"^ *(```|~~~).*?^ *\1|^(?: {4}|\t)[^\n]*", re.S | re.M)
QUOTATION = re.compile(r'`[^`\n]*`|"[^"\n]*"')
# A declaration whose braces hold declarations. `struct stat f(...) {` is a function.
SCOPE = re.compile(r"\b(?:namespace|struct|class|enum|union|extern)\b[^()=]*$")


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


def code_alone(text):
    """The text, line for line, without comments, literals and preprocessor directives."""
    return OPAQUE.sub(lambda match: match.group(1) or blank(match), text)


def brace_kind(declaration):
    """The kind of a brace outside of functions. `declaration` is the text of its declaration before it."""
    if SCOPE.search(declaration):
        return "scope"
    is_initialiser = not declaration[-1:].isspace() or re.search(r"[=(,{]\s*$", declaration)
    return "function" if ")" in declaration and not is_initialiser else "other"


def functions(text):
    """First line and length of each function of a file that clang-format has laid out. The first line is the one that
    begins the signature, below `template <...>`; it is indented as the brace that ends the body."""
    text = code_alone(text)
    braces, declaration = [], 0  # kind and position of each open brace; where the current declaration begins
    for match in re.finditer("[{};]", text):
        position = match.start()
        in_scope = all(outer == "scope" for outer, _ in braces)
        if match.group(0) == "{":
            braces.append((brace_kind(text[declaration:position]) if in_scope else "other", position))
            in_scope = braces[-1][0] == "scope"
        elif match.group(0) == "}" and braces:
            kind, opened = braces.pop()
            if kind == "function":
                indent = re.search(" *$", text[:position]).group(0)
                signature = list(re.finditer(rf"^{indent}(?=\S)", text[declaration:opened], re.M))
                first = declaration + signature[-1].start() if signature else opened
                yield text.count("\n", 0, first) + 1, text.count("\n", first, position) + 1
            in_scope = kind != "other" and all(outer == "scope" for outer, _ in braces)
        if in_scope:
            declaration = match.end()


def prose(suffix, text):
    """The comments, docstrings or sentences of a file, line for line, without code and quotations."""
    if suffix == ".md":
        text = CODE_BLOCK.sub(blank, text)
    else:
        pattern = SCRIPT_PROSE if suffix in {".py", ".cmake", ".txt", ".in"} else CODE_PROSE
        parts, end = [], 0
        for match in pattern.finditer(text):
            if match.group(1):
                parts += ["\n" * text.count("\n", end, match.start()), match.group(1).replace('"""', "")]
                end = match.end()
        text = "".join(parts)
    return QUOTATION.sub("", text)


def bad_openers(suffix, text):
    """The line and the word of each sentence that opens with a word of OPENER and is not a question."""
    if not OPENER.search(text):
        return
    text = prose(suffix, text)
    for match in OPENER.finditer(text):
        end = re.search(r"[.?!](?!\w)|\Z", text[match.end():])
        if end.group(0) != "?":
            yield text.count("\n", 0, match.start()) + 1, match.group(0)


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
        if re.match("(<{7}|>{7}) ", line):
            yield f"{relative}:{number}: a conflict of a merge"
    for number, word in bad_openers(relative.suffix, "\n".join(lines)):
        yield f"{relative}:{number}: a sentence opens with '{word}'"
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
