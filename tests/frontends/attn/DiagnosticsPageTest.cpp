// docs/diagnostics.md is compared with what the front end says, to the letter.

#include "compiler/Diagnostics/Render.h"
#include "frontends/attn/Parse/Parse.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

using namespace attnc;

namespace {

struct Section {
  std::string id, summary, program, text;
};

/// `## id`, an empty line, the summary, and the fenced blocks `attn` and `text`.
std::vector<Section> sections() {
  std::ifstream page(ATTNC_ROOT "/docs/diagnostics.md");
  std::vector<Section> found;
  std::string *block = nullptr;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) {
      found.push_back({line.substr(3), "", "", ""});
    } else if (found.empty()) {
      continue;
    } else if (line.starts_with("```")) {
      block = line == "```attn" ? &found.back().program : line == "```text" ? &found.back().text : nullptr;
    } else if (block) {
      *block += line + '\n';
    } else if (found.back().summary.empty()) {
      found.back().summary = line;
    }
  }
  return found;
}

std::string messagesFor(const std::string &program) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  parseFile(sources, sources.add("model.attn", program), diagnostics);
  return render(diagnostics);
}

TEST(DiagnosticsPage, ItsProgramsGetWhatItSays) {
  for (const Section &section : sections()) {
    EXPECT_EQ(messagesFor(section.program), section.text) << section.id;
    EXPECT_NE(section.text.find('[' + section.id + ']'), std::string::npos) << section.id;
  }
}

TEST(DiagnosticsPage, HoldsEveryKindOfTheParserInOrder) {
  std::vector<Section> page = sections();
  std::span<const DiagnosticKindInfo> kinds = diagnosticKinds();
  kinds = kinds.first(static_cast<size_t>(DiagnosticKind::TooDeep) + 1);
  ASSERT_EQ(page.size(), kinds.size());
  for (size_t i = 0; i < page.size(); ++i) {
    EXPECT_EQ(page[i].id, kinds[i].id);
    std::string summary(kinds[i].summary);
    summary[0] = static_cast<char>(std::toupper(summary[0]));
    EXPECT_EQ(page[i].summary, summary + '.');
  }
}

} // namespace
