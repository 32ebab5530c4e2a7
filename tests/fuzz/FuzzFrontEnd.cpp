// Fuzzes the front end: an arbitrary text gives errors that can be rendered, or a tree whose canonical form parses to
// itself.
#include "compiler/Diagnostics/Render.h"
#include "frontends/attn/Check/Check.h"
#include "frontends/attn/Check/Print.h"
#include "frontends/attn/Parse/Parse.h"
#include "frontends/attn/Parse/Print.h"

#include <cstdlib>

using namespace attnc;

static void require(bool condition) {
  if (!condition)
    abort();
}

/// Returns the canonical form of `text`, or "" if it has errors.
static std::string canonical(std::string text, bool &isTooDeep) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  ast::File file = parseFile(sources, sources.add("fuzz.attn", std::move(text)), diagnostics);
  require(diagnostics.hasErrors() == !render(diagnostics).empty());
  for (const Diagnostic &diagnostic : diagnostics.diagnostics())
    isTooDeep |= diagnostic.kind == DiagnosticKind::TooDeep;
  return diagnostics.hasErrors() ? "" : print(file);
}

/// Requires errors, or a typed program whose tensor sizes later phases can count.
static void checkText(std::string text) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  FileId file = sources.add("fuzz.attn", std::move(text));
  std::unique_ptr<typed::Program> program = checkFile(sources, file, diagnostics);
  require((program != nullptr) != diagnostics.hasErrors());
  render(diagnostics);
  if (!program)
    return;
  typed::print(*program);
  for (const typed::Expr &each : program->exprs)
    require(canHaveShape(each.type.shape));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bool isTooDeep = false;
  std::string once = canonical(std::string(reinterpret_cast<const char *>(data), size), isTooDeep);
  std::string twice = canonical(once, isTooDeep);
  require(twice == once || isTooDeep);
  if (!once.empty())
    checkText(std::move(once));
  return 0;
}
