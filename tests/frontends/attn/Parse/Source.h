// Parses a source text in a string, for tests of the parser and the printer.
#pragma once

#include "compiler/Diagnostics/Render.h"
#include "frontends/attn/Parse/Parse.h"
#include "frontends/attn/Parse/Print.h"

namespace attnc {

/// A parsed file "t.attn", with its diagnostics.
struct Parsed {
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  ast::File file;

  explicit Parsed(std::string text) {
    FileId id = sources.add("t.attn", std::move(text));
    file = parseFile(sources, id, diagnostics);
  }
  std::string errors() const { return render(diagnostics); } ///< all messages as text; empty if there are none
};

/// Returns the canonical form of a file's text, as the printer writes it; its messages if there are errors.
inline std::string printed(std::string text) {
  Parsed parsed(std::move(text));
  return parsed.diagnostics.hasErrors() ? parsed.errors() : print(parsed.file);
}

/// Returns an expression in canonical form; the messages if there are errors.
inline std::string expression(const std::string &text) {
  Parsed parsed("const c = " + text);
  return parsed.diagnostics.hasErrors() ? parsed.errors() : print(*parsed.file.constants[0].value);
}

/// Returns the messages about a file's text; empty if there are none.
inline std::string errors(std::string text) { return Parsed(std::move(text)).errors(); }

} // namespace attnc
