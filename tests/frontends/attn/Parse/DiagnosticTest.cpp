// Tests the text of syntax errors beyond those of docs/diagnostics, and the parser's error recovery.

#include "tests/frontends/attn/Parse/Source.h"

#include <gtest/gtest.h>

using namespace attnc;

namespace {

TEST(Syntax, AFileMayBeginWithAByteOrderMark) {
  EXPECT_EQ(errors("\xEF\xBB\xBF"
                   "fn f(x: f32[n]) -> f32[n] { x }\n"),
            "");
}

TEST(Syntax, FilesThatAreNoTextGetOneError) {
  EXPECT_EQ(errors(std::string("\x7F"
                               "ELF\2\1\1\0\0 \xFF (",
                               13)),
            "t.attn:1:8: error: this file is not text: it has the byte 0x00 here [not-text]\n"
            "    1 | \xEF\xBF\xBD"
            "ELF\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD \xEF\xBF\xBD (\n"
            "      |        ^\n"
            "  hint: a model is text in UTF-8\n");
  EXPECT_EQ(errors("fn f(x: f32) { x } // caf\xE9\n fn \xE9 \xE8"),
            "t.attn:1:26: error: this file is not text: it has the byte 0xE9 here [not-text]\n"
            "    1 | fn f(x: f32) { x } // caf\xEF\xBF\xBD\n"
            "      |                          ^\n"
            "  hint: a model is text in UTF-8\n");
  EXPECT_EQ(errors("fn f(x: f32) { x } // caf\xC3\xA9\n"), "");
}

TEST(Syntax, SeveralErrorsInOneRun) {
  EXPECT_EQ(errors(R"(fn f(x: f32[n]) {
  let = 3
  let z = if x then y
  y z
}
fn g(x f32[n]) { x }
fn (x: f32) { x }
const = 3
export
extern fn h(x: f32) -> f32 { x }
model M() { state u: Block(2) }
)"),
            R"(t.attn:2:7: error: expected a name, found `=` [syntax]
    2 |   let = 3
      |       ^

t.attn:3:22: error: expected `else` and the other value, found the end of the line [syntax]
    3 |   let z = if x then y
      |                      ^

t.attn:4:5: error: expected the end of the line, found `z` [syntax]
    4 |   y z
      |     ^

t.attn:6:8: error: expected `,` or `)` after the parameters, found `f32` [syntax]
    6 | fn g(x f32[n]) { x }
      |     ~  ^~~
      |     opened here

t.attn:7:4: error: expected the name of the function, found `(` [syntax]
    7 | fn (x: f32) { x }
      |    ^

t.attn:8:7: error: expected the name of the constant, found `=` [syntax]
    8 | const = 3
      |       ^

t.attn:9:7: error: expected the name of an entry point, found the end of the line [syntax]
    9 | export
      |       ^

t.attn:10:28: error: a function of the host has no body here [syntax]
   10 | extern fn h(x: f32) -> f32 { x }
      |                            ^

t.attn:11:19: error: a state has a type: `state u: f32[n] = zeros` [syntax]
   11 | model M() { state u: Block(2) }
      |                   ^
)");
}

TEST(Syntax, AnErrorInsideABlockLeavesTheRestOfTheFile) {
  Parsed parsed("fn f() {\n  for l < 3 {\n    let = 1\n    let y = 2\n  }\n  let = 4\n}\nfn g() { 1 }\n");
  EXPECT_EQ(parsed.diagnostics.errorCount(), 2u);
  ASSERT_EQ(parsed.file.functions.size(), 2u);
  EXPECT_EQ(parsed.file.functions[1].name->text, "g");
}

TEST(Syntax, EndOfFile) {
  EXPECT_EQ(errors("const a ="), R"(t.attn:1:10: error: expected an expression, found the end of the file [syntax]
    1 | const a =
      |          ^
)");
}

TEST(Syntax, AnUpdateInAnExpression) {
  EXPECT_EQ(errors("const a = f(x <- 1)"),
            R"(t.attn:1:15: error: expected `,` or `)` after the arguments, found `<-` [syntax]
    1 | const a = f(x <- 1)
      |            ~  ^~
      |            opened here
  hint: `<-` updates a state; a comparison is written `a < -b`
)");
}

TEST(Syntax, ADimensionBelowItsBound) {
  EXPECT_EQ(errors("fn f(x: f32[n < 4]) { x }"), R"(t.attn:1:15: error: expected `<=`, found `<` [syntax]
    1 | fn f(x: f32[n < 4]) { x }
      |               ^
  hint: the bound of a dimension can be reached: `seq <= 256`
)");
}

TEST(Syntax, AttendGoesOnBehindAWrongEntry) {
  EXPECT_EQ(errors("const a = attend j { score: , mask: 1 2, value: v[j] + }"),
            R"(t.attn:1:29: error: expected an expression, found `,` [syntax]
    1 | const a = attend j { score: , mask: 1 2, value: v[j] + }
      |                             ^

t.attn:1:39: error: expected `,` or `}` after an entry of `attend`, found `2` [syntax]
    1 | const a = attend j { score: , mask: 1 2, value: v[j] + }
      |                                       ^

t.attn:1:56: error: expected an expression, found `}` [syntax]
    1 | const a = attend j { score: , mask: 1 2, value: v[j] + }
      |                                                        ^
)");
}

TEST(Syntax, CharactersThatBeginNothingAreReportedOnceARow) {
  EXPECT_EQ(errors("const a = \x02\x01$ 1"), "t.attn:1:11: error: unexpected character [unexpected-character]\n"
                                             "    1 | const a = \xEF\xBF\xBD\xEF\xBF\xBD$ 1\n"
                                             "      |           ^\n");
}

TEST(Brackets, TheWrongOne) {
  EXPECT_EQ(errors("const a = f(x]\nconst b = ]"), R"(t.attn:1:14: error: `]` does not close `(` [unclosed-bracket]
    1 | const a = f(x]
      |            ~ ^ expected `)`
      |            opened here

t.attn:2:11: error: `]` closes nothing [unclosed-bracket]
    2 | const b = ]
      |           ^
)");
}

TEST(Brackets, ErrorsBeforeThemAreReported) {
  EXPECT_EQ(Parsed("const = 1\nconst a = (\nconst = 2\n").diagnostics.errorCount(), 2u);
}

TEST(TooDeep, ChainsAndNesting) {
  auto kindOf = [](const std::string &text) {
    Parsed parsed("const a = " + text);
    return parsed.diagnostics.diagnostics().empty() ? "" : idOf(parsed.diagnostics.diagnostics()[0].kind);
  };
  auto repeat = [](const std::string &text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i)
      all += text;
    return all;
  };
  for (std::string part : {"-", "not ", "(", "[", "1 + ", "2 ** ", "w => ", "f(", "if a then b else ", "sum k => "})
    EXPECT_EQ(kindOf(repeat(part, 100000) + "1"),
              part == "(" || part == "[" || part == "f(" ? "unclosed-bracket" : "too-deep")
        << part;
  for (std::string part : {"'", "(1)", "[i]", ".x", " - 1", " and b"})
    EXPECT_EQ(kindOf("x" + repeat(part, 100000)), "too-deep") << part;
  for (std::string part : {" - 1", " and b", " * x"})
    EXPECT_EQ(kindOf("x" + repeat(part, 2000)), "") << part;
  EXPECT_EQ(kindOf(repeat("(", 1000) + "1" + repeat(")", 1000)), "too-deep");
  EXPECT_EQ(kindOf(repeat("(", 200) + "1" + repeat(")", 200)), "");
  EXPECT_EQ(Parsed("fn f() {" + repeat("if a { } else ", 100000) + "{ } }").diagnostics.errorCount(), 1u);
}

} // namespace
