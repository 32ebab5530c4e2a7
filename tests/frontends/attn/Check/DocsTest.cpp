// Tests statements and examples of docs/language.md, docs/attention.md, docs/normalisers.md, docs/outputs.md,
// docs/recurrences.md, docs/diagnostics.md and its pages.

#include "tests/frontends/attn/Check/Checked.h"

#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

using namespace attnc;

namespace {

const std::string docs = std::string(ATTNC_SOURCE_ROOT) + "/docs/";

/// Returns the texts of the blocks ```kind ... ```, in order.
std::vector<std::string> blocks(const std::string &text, const std::string &kind) {
  std::vector<std::string> result;
  const std::string open = "```" + kind + "\n";
  for (size_t at = 0; (at = text.find(open, at)) != std::string::npos;) {
    size_t begin = at + open.size(), end = text.find("```", begin);
    result.push_back(text.substr(begin, end - begin));
    at = end + 3;
  }
  return result;
}

/// Returns the sections "## name" of a document.
std::map<std::string, std::string> sections(const std::string &text) {
  std::map<std::string, std::string> result;
  for (size_t at = text.find("\n## "); at != std::string::npos;) {
    size_t begin = at + 4, line = text.find('\n', begin), next = text.find("\n## ", line);
    result[text.substr(begin, line - begin)] = text.substr(line, next == std::string::npos ? next : next - line);
    at = next;
  }
  return result;
}

TEST(LanguageReference, EveryProgramCompiles) {
  for (const char *page :
       {"language.md", "attention.md", "normalisers.md", "outputs.md", "recurrences.md", "decoding.md"}) {
    std::vector<std::string> programs = blocks(readFile(docs + page), "attn");
    ASSERT_FALSE(programs.empty()) << page;
    for (const std::string &program : programs) {
      Checked checked = check(program);
      EXPECT_EQ(checked.diagnostics, "") << program;
      EXPECT_NE(checked.typed, "") << program;
    }
  }
}

TEST(LanguageReference, ListsTheBuiltins) {
  std::string table = "| | |\n|---|---|\n";
  for (const BuiltinSummary &builtin : builtinSummaries())
    table += fmt::format("| `{}` | {} |\n", builtin.signature, builtin.doc);
  EXPECT_NE(readFile(docs + "language.md").find(table), std::string::npos) << "docs/language.md should hold:\n"
                                                                           << table;
}

/// Returns the sections of all pages of docs/diagnostics.
std::map<std::string, std::string> diagnosticSections() {
  std::map<std::string, std::string> result;
  for (const auto &page : std::filesystem::directory_iterator(docs + "diagnostics"))
    result.merge(sections(readFile(page.path())));
  return result;
}

TEST(DiagnosticsIndex, HasEveryKind) {
  std::map<std::string, std::string> pages = diagnosticSections();
  std::string index = readFile(docs + "diagnostics.md");
  for (const DiagnosticKindInfo &kind : diagnosticKinds()) {
    EXPECT_TRUE(pages.count(std::string(kind.id))) << "docs/diagnostics lacks a section on " << kind.id;
    EXPECT_NE(index.find(fmt::format("`{}`", kind.id)), std::string::npos) << "docs/diagnostics.md lacks " << kind.id;
  }
}

TEST(DiagnosticsIndex, IsTrueToTheLetter) {
  for (const auto &[kind, section] : diagnosticSections()) {
    std::vector<std::string> programs = blocks(section, "attn"), messages = blocks(section, "text");
    if (programs.empty())
      continue;
    ASSERT_EQ(messages.size(), programs.size()) << kind;
    std::vector<std::pair<std::string, std::string>> settings;
    if (size_t with = section.find("With `--set "); with != std::string::npos) {
      size_t set = with + 12;
      size_t equals = section.find('=', set), end = section.find('`', set);
      settings.emplace_back(section.substr(set, equals - set), section.substr(equals + 1, end - equals - 1));
    }
    for (size_t i = 0; i < programs.size(); ++i) {
      EXPECT_EQ(check(programs[i], settings).diagnostics, messages[i]) << kind;
      EXPECT_NE(messages[i].find("[" + kind + "]"), std::string::npos) << kind;
    }
  }
}

} // namespace
