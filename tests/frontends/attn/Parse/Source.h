// A parsed source text.
#pragma once

#include "compiler/Diagnostics/Render.h"
#include "frontends/attn/Parse/Parse.h"
#include "frontends/attn/Parse/Print.h"

namespace attnc {

struct Parsed {
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  ast::File file;

  explicit Parsed(std::string text) {
    FileId id = sources.add("t.attn", std::move(text));
    file = parseFile(sources, id, diagnostics);
  }
  std::string errors() const { return render(diagnostics); }
};

/// Returns the canonical form of a text, or its errors.
inline std::string printed(std::string text) {
  Parsed parsed(std::move(text));
  return parsed.diagnostics.hasErrors() ? parsed.errors() : print(parsed.file);
}

/// Returns an expression in canonical form.
inline std::string expression(const std::string &text) {
  Parsed parsed("const c = " + text);
  return parsed.diagnostics.hasErrors() ? parsed.errors() : print(*parsed.file.constants[0].value);
}

inline std::string errors(std::string text) { return Parsed(std::move(text)).errors(); }

} // namespace attnc
