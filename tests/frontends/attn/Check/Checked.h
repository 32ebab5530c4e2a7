// Checks a program in a string, and returns its typed AST or its diagnostics as text.
#pragma once

#include "compiler/Diagnostics/Render.h"
#include "frontends/attn/Check/Check.h"
#include "frontends/attn/Check/Print.h"

#include <fstream>
#include <sstream>

namespace attnc {

struct Checked {
  std::string diagnostics; ///< all messages as rendered text; empty if there are none
  std::string typed;       ///< the typed AST as text (Check/Print.h); empty if there are errors

  /// The first line of the diagnostics.
  std::string firstLine() const { return diagnostics.substr(0, diagnostics.find('\n')); }
};

/// Checks the program `text`, with the hyperparameters `settings` (name and value). `name` is the path of the file in
/// messages, beside which the checker finds files that the program uses.
inline Checked check(std::string text, std::vector<std::pair<std::string, std::string>> settings = {},
                     std::string name = "a.attn") {
  SourceManager sources;
  FileId file = sources.add(std::move(name), std::move(text));
  DiagnosticEngine engine(sources);
  std::unique_ptr<typed::Program> program = checkFile(sources, file, engine, {std::move(settings)});
  return {render(engine), program ? typed::print(*program) : ""};
}

/// Returns the diagnostics of the program `text` with `code` in place of the word `placeholder`.
inline std::string diagnosticsWith(std::string text, const std::string &placeholder, const std::string &code) {
  return check(text.replace(text.find(placeholder), placeholder.size(), code)).diagnostics;
}

/// Returns the content of a file; empty if it cannot be read.
inline std::string readFile(const std::string &name) {
  std::ifstream stream(name, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

} // namespace attnc
