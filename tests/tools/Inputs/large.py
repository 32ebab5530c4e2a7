#!/usr/bin/env python3
"""Writes large models and modules into the current folder: good/ compile, bad/ do not."""
import os

FUNCTION = "export fn f(x: f32[n]) -> f32[n] { %s }\n"
MANY = 100_000

GOOD = {
    "comment.attn": "// " + "x" * 12_000_000 + "\n" + FUNCTION % "x",
    "comments.attn": ("// " + "x" * 60 + "\n") * 190_000 + FUNCTION % "x",
    "doc.attn": "/// " + "*/" * 6_000_000 + "\n" + FUNCTION % "x",
    "lines.attn": "\n" * 12_000_000 + FUNCTION % "x",
    "name.attn": FUNCTION.replace("(x", "(" + "x" * 100_000) % ("x" * 100_000),
}
BAD = {
    "affine.mlir": "#map = affine_map<(d0) -> (" + "(" * MANY + "d0" + ")" * MANY + ")>\nmodule {}\n",
    "braces.attn": FUNCTION % ("(" * MANY + "}" * MANY),
    "closers.attn": "(" * 4 * MANY + "}" * 4 * MANY,
    "errors.attn": FUNCTION % ("\n" + "  let y = z\n" * MANY),
    "line.attn": FUNCTION % ("$ x " * MANY),
    "lists.mlir": "module attributes {a = " + "[" * MANY + "]" * MANY + "} {}\n",
    "minus.mlir": "#map = affine_map<(d0) -> (" + "-\n// and\n\t" * MANY + "d0)>\nmodule {}\n",
    "modules.mlir": "module {\n" * MANY + "}\n" * MANY,
    "number.attn": FUNCTION % ("x + " + "1" * 1_000_000),
    "operators.mlir": "#map = affine_map<(d0) -> (d0" + " mod 7 floordiv 3" * MANY + ")>\nmodule {}\n",
    "parentheses.attn": FUNCTION % ("(" * MANY + "x" + ")" * MANY),
    "signs.mlir": "#map = affine_map<(d0) -> (" + "-" * MANY + "d0)>\nmodule {}\n",
    "text.attn": FUNCTION % ('"' + "x" * 1_000_000 + '"'),
}
NESTED = """// ((((
func.func @f(%x: tensor<?xf32> {model.name = "x", model.shape = ["n"]}) -> (tensor<?xf32> {model.name = "y",
    model.shape = ["n"]}) attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>], model.doc = "TEXT"} {
  return %x : tensor<?xf32>
}
"""

for folder, files in (("good", GOOD), ("bad", BAD)):
    os.mkdir(folder)
    for name, text in files.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
with open("nested.mlir", "w") as file:
    file.write(NESTED.replace("TEXT", "(" * 600 + '\\"' + "<" * 600))
