// Tests the full text of diagnostics.

#include "compiler/Diagnostics/Render.h"

#include <gtest/gtest.h>
#include <set>

using namespace attnc;

namespace {

/// Returns the range of the nth occurrence (from 0) of `words` in a file.
SourceRange find(const SourceManager &sources, FileId file, std::string_view words, int nth = 0) {
  size_t at = sources.file(file).text().find(words);
  while (nth-- > 0)
    at = sources.file(file).text().find(words, at + 1);
  return {file, static_cast<uint32_t>(at), static_cast<uint32_t>(at + words.size())};
}

TEST(Render, TwoLabelsOnALineAndANote) {
  SourceManager sources;
  std::string text(30, '\n');
  text.replace(11, 1, "\n  wk: nn.Linear(dim, 80)\n");
  text.erase(0, 1);
  FileId file = sources.add("gpt.attn", text + "  score: dot(q[b, h, i], k[b, h, j]) / sqrt(head_dim),\n");
  DiagnosticEngine engine(sources);
  engine
      .error(DiagnosticKind::Syntax, find(sources, file, "q[b, h, i]"),
             "contracted dimensions differ: `head_dim` is 64 and 80")
      .label("f32[64]")
      .label(find(sources, file, "k[b, h, j]"), "f32[80]")
      .note("`k` is made by `wk`, declared", find(sources, file, "wk"));
  EXPECT_EQ(render(engine), R"(gpt.attn:31:14: error: contracted dimensions differ: `head_dim` is 64 and 80 [syntax]
   31 |   score: dot(q[b, h, i], k[b, h, j]) / sqrt(head_dim),
      |              ^~~~~~~~~~  ~~~~~~~~~~ f32[80]
      |              f32[64]
  note: `k` is made by `wk`, declared at gpt.attn:12:3
)");
}

TEST(Render, ThreeLabelsShareTheRowsTheyFit) {
  SourceManager sources;
  FileId file = sources.add("a.attn", "one + second + third");
  DiagnosticEngine engine(sources);
  engine.error(DiagnosticKind::Syntax, find(sources, file, "+", 1), "sum of unlike things")
      .label("f32[2]")
      .label(find(sources, file, "one"), "f32[1]")
      .label(find(sources, file, "third"), "f32[3]")
      .hint("add like to like");
  EXPECT_EQ(render(engine), R"(a.attn:1:14: error: sum of unlike things [syntax]
    1 | one + second + third
      | ~~~          ^ ~~~~~ f32[3]
      | f32[1]       f32[2]
  hint: add like to like
)");
}

TEST(Render, LabelsThatDoNotFitBesideEachOtherStack) {
  SourceManager sources;
  FileId file = sources.add("a.attn", "a + b");
  DiagnosticEngine engine(sources);
  engine.error(DiagnosticKind::Syntax, find(sources, file, "+"), "no")
      .label(find(sources, file, "a"), "f32[batch]")
      .label("here")
      .label(find(sources, file, "b"), "f32[seq]");
  EXPECT_EQ(render(engine), R"(a.attn:1:3: error: no [syntax]
    1 | a + b
      | ~ ^ ~ f32[seq]
      |   here
      | f32[batch]
)");
}

TEST(Render, OtherLinesAndOtherFiles) {
  SourceManager sources;
  FileId library = sources.add("nn.attn", "module Linear(n) {}\n");
  FileId file = sources.add("a.attn", "use nn\n\nx: nn.Linear(1, 2)\n");
  DiagnosticEngine engine(sources);
  engine.error(DiagnosticKind::Syntax, find(sources, file, "2"), "too many arguments")
      .label(find(sources, library, "(n)"), "one parameter")
      .label(find(sources, file, "nn"), "used here");
  EXPECT_EQ(render(engine), R"(a.attn:3:17: error: too many arguments [syntax]
    1 | use nn
      |     ~~ used here
    3 | x: nn.Linear(1, 2)
      |                 ^
  at nn.attn:1:14:
    1 | module Linear(n) {}
      |              ~~~ one parameter
)");
}

TEST(Render, TabsLettersAndBytesThatAreNoText) {
  SourceManager sources;
  FileId file = sources.add("a.attn", "\t\"\xC3\xA4\xE2\x88\x91\" \xFF\x1B + x\r\n");
  DiagnosticEngine engine(sources);
  engine.error(DiagnosticKind::Syntax, find(sources, file, "x"), "no");
  EXPECT_EQ(render(engine), "a.attn:1:15: error: no [syntax]\n"
                            "    1 |  \"\xC3\xA4\xE2\x88\x91\" \xEF\xBF\xBD\xEF\xBF\xBD + x\n"
                            "      |            ^\n");
}

TEST(Render, EndOfFileAndSeveralLines) {
  SourceManager sources;
  FileId file = sources.add("a.attn", "f(\n  x\n");
  DiagnosticEngine engine(sources);
  engine.error(DiagnosticKind::Syntax, {file, 7, 7}, "expected `)`").label({file, 0, 5}, "from here");
  EXPECT_EQ(render(engine), R"(a.attn:3:1: error: expected `)` [syntax]
    1 | f(
      | ~~ from here
    3 | 
      | ^
)");
}

TEST(Render, WithoutPlace) {
  SourceManager sources;
  DiagnosticEngine engine(sources);
  engine.warning(DiagnosticKind::Syntax, {}, "nothing to do");
  EXPECT_EQ(render(engine), "warning: nothing to do [syntax]\n");
  EXPECT_FALSE(engine.hasErrors());
}

TEST(Render, InTheOrderOfPlacesAndRepetitionsOnce) {
  SourceManager sources;
  FileId file = sources.add("a.attn", "a\nb\n");
  DiagnosticEngine engine(sources);
  engine.error(DiagnosticKind::Syntax, {file, 2, 3}, "second");
  engine.error(DiagnosticKind::Syntax, {file, 0, 1}, "first");
  engine.error(DiagnosticKind::Syntax, {file, 2, 3}, "second");
  EXPECT_EQ(engine.errorCount(), 3u);
  EXPECT_EQ(render(engine), R"(a.attn:1:1: error: first [syntax]
    1 | a
      | ^

a.attn:2:1: error: second [syntax]
    2 | b
      | ^
)");
}

TEST(Kinds, IdsAreUniqueAndInOrder) {
  std::set<std::string_view> ids;
  for (const DiagnosticKindInfo &info : diagnosticKinds()) {
    EXPECT_TRUE(ids.insert(info.id).second) << info.id;
    EXPECT_EQ(idOf(info.kind), info.id);
    EXPECT_FALSE(info.summary.empty());
  }
}

} // namespace
