// Checks a program in a string, and returns its typed AST or its diagnostics as text.
#pragma once

#include "compiler/Diagnostics/Render.h"
#include "frontends/attn/Check/Check.h"
#include "frontends/attn/Check/Print.h"

#include <fstream>
#include <sstream>

namespace attnc {

struct Checked {
  std::string diagnostics;
  std::string typed; ///< empty if there are errors
};

inline Checked check(std::string text, std::vector<std::pair<std::string, std::string>> settings = {},
                     std::string name = "a.attn") {
  SourceManager sources;
  FileId file = sources.add(std::move(name), std::move(text));
  DiagnosticEngine engine(sources);
  std::unique_ptr<typed::Program> program = checkFile(sources, file, engine, {std::move(settings)});
  return {render(engine), program ? typed::print(*program) : ""};
}

inline std::string readFile(const std::string &name) {
  std::ifstream stream(name, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

} // namespace attnc
