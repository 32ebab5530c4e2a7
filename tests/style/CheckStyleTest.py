#!/usr/bin/env python3
"""Tests of CheckStyle.py: the functions and sentences that it finds, and its reports."""
import pathlib
import unittest

import CheckStyle


def functions(text):
    return list(CheckStyle.functions(text))


class Functions(unittest.TestCase):
    def test_signature_on_one_line(self):
        self.assertEqual(functions("\nint f(int a) {\n  return a;\n}\n"), [(2, 3)])

    def test_signature_over_several_lines(self):
        self.assertEqual(functions("static int f(int a,\n             int b) {\n  return a;\n}\n"), [(1, 4)])
        self.assertEqual(functions("void Type::f(\n    int a) const {\n  g();\n}\n"), [(1, 4)])

    def test_constructor_with_initialisers(self):
        self.assertEqual(functions("S::S(int a)\n    : a{a}, b(1) {\n  f();\n}\n"), [(1, 4)])

    def test_template_is_not_part_of_the_signature(self):
        self.assertEqual(functions("template <class T>\nT f(T a,\n    T b) {\n  return a;\n}\n"), [(2, 4)])

    def test_methods_of_nested_scopes(self):
        text = "namespace n {\nclass A final : B {\npublic:\n  struct C {\n    int f(int a = {},\n          C b = {}) override {\n"
        self.assertEqual(functions(text + "      return 1;\n    }\n  };\n};\n} // namespace n\n"), [(5, 4)])

    def test_functions_of_c_that_name_a_struct(self):
        self.assertEqual(functions('extern "C" {\nstruct s *f(void) {\n  return 0;\n}\n}\n'), [(2, 3)])
        self.assertEqual(functions('extern "C" int g(\n    int a) {\n  return a;\n}\n'), [(1, 4)])

    def test_macro_before_a_function(self):
        self.assertEqual(functions("DEFINE(a)\nTEST(A, B) {\n  f();\n}\n"), [(2, 3)])

    def test_lambda_is_part_of_its_function(self):
        self.assertEqual(functions("void f() {\n  auto g = [&](int a) {\n    return a;\n  };\n}\n"), [(1, 5)])

    def test_lambda_outside_of_functions(self):
        self.assertEqual(functions("const auto f = [](int a) {\n  return a;\n};\n"), [(1, 3)])

    def test_tables_and_types_are_no_functions(self):
        self.assertEqual(functions("const T t[] = {\n    {f(1)},\n};\nenum class E : int {\n  A = f(1)\n};\n"), [])

    def test_braces_in_literals_and_comments(self):
        text = "void f() { // }\n  g('}', \"}\", 1'000, /* } */ R\"x(}\")x\");\n#define OPEN \\\n  {\n  h('\\'', '{');\n}\n"
        self.assertEqual(functions(text), [(1, 6)])


class Openers(unittest.TestCase):
    def openers(self, suffix, text):
        return list(CheckStyle.bad_openers(suffix, text))

    def test_comments_of_code(self):
        text = "int a; // Of two sums.\n/// A sum. Those\n/// of rows: the\n/* same.\n * What it is. */\n"
        for suffix in [".c", ".cpp", ".h", ".td", ".def", ".attn", ".js"]:
            self.assertEqual(self.openers(suffix, text), [(1, "Of"), (2, "Those"), (5, "What")])

    def test_descriptions_of_ops(self):
        text = 'let summary = "x";\nlet description = [{\n  Such an op.\n}];\nlet code = [{ Of f(); }];\n'
        self.assertEqual(self.openers(".td", text), [(3, "Such")])

    def test_scripts(self):
        text = '"""What it does."""\nx = "Of x."  # Whoever reads it.\n\'\'; y = """a\nb. Those."""\n'
        self.assertEqual(self.openers(".py", text), [(1, "What"), (2, "Whoever"), (4, "Those")])
        for suffix in [".cmake", ".txt", ".in"]:
            self.assertEqual(self.openers(suffix, 'set(a "Of") # Of a.\n'), [(1, "Of")])

    def test_documents(self):
        text = "# What it is\n\nA sum. Of\ntwo.\n\n- Such a list.\n\n| Those | a |\n"
        self.assertEqual(self.openers(".md", text), [(1, "What"), (3, "Of"), (6, "Such"), (8, "Those")])

    def test_questions(self):
        self.assertEqual(self.openers(".md", "## What is it?\n\nIs it one? What of 1.5\nsums?\n"), [])
        self.assertEqual(self.openers(".md", "What is it. Is it one?\n"), [(1, "What")])

    def test_words_within_sentences(self):
        self.assertEqual(self.openers(".cpp", "// All of those: what such a sum is. Often, whatever.\n"), [])

    def test_code_and_quotations(self):
        self.assertEqual(self.openers(".cpp", "enum { What, Of }; auto a = \"// Of\", b = '\"', c = 1'000; // `Of`\n"), [])
        self.assertEqual(self.openers(".md", "`Of` and \"What it is.\"\n\n    Of a\n\n```c\nWhat a;\n```\n"), [])


class Reports(unittest.TestCase):
    def reports(self, name, text):
        return list(CheckStyle.check(pathlib.Path(name), text))

    def test_long_function(self):
        text = "void f(int a,\n       int b) {\n" + "  g();\n" * 58 + "}\n"
        self.assertEqual(self.reports("tools/a.cpp", text), ["tools/a.cpp:1: a function of 61 lines, at most 60"])
        self.assertEqual(self.reports("tools/a.cpp", text.replace("  g();\n", "", 1)), [])

    def test_long_file(self):
        self.assertEqual(self.reports("tools/a.py", "\n" * 600), [])
        self.assertEqual(self.reports("tools/a.py", "\n" * 601), ["tools/a.py: 601 lines, at most 600"])

    def test_long_line(self):
        wide = '"' + "a" * 119 + '"\n'
        self.assertEqual(self.reports("tools/a.cpp", wide), ["tools/a.cpp:1: 121 columns, at most 120"])
        for name in ["tests/a.cpp", "docs/a.md"]:
            self.assertEqual(self.reports(name, wide), [])

    def test_something_left_to_do(self):
        self.assertEqual(self.reports("tools/a.cpp", "// TO" "DO\n"), ["tools/a.cpp:1: something is left to do"])

    def test_opener_of_a_sentence(self):
        text = 'auto a = R"(\n// What it is.\n)";\n// What it is.\n'
        self.assertEqual(self.reports("tools/a.cpp", text), ["tools/a.cpp:4: a sentence opens with 'What'"])

    def test_conflict_of_a_merge(self):
        text = "<" * 7 + " ours\na\n=======\nb\n" + ">" * 7 + " theirs\n"
        self.assertEqual(self.reports("docs/a.md", text), [f"docs/a.md:{line}: a conflict of a merge" for line in (1, 5)])


if __name__ == "__main__":
    unittest.main()
