// Whatever the bytes, the front end either reports errors that can be shown, or gives a tree whose canonical form
// parses to itself.
#include "compiler/Diagnostics/Render.h"
#include "frontends/attn/Parse/Parse.h"
#include "frontends/attn/Parse/Print.h"

#include <cstdlib>

using namespace attnc;

static void require(bool condition) {
  if (!condition)
    abort();
}

/// The canonical form of `text`, or nothing where it has errors.
static std::string canonical(std::string text, bool &isTooDeep) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  ast::File file = parseFile(sources, sources.add("fuzz.attn", std::move(text)), diagnostics);
  require(diagnostics.hasErrors() == !render(diagnostics).empty());
  for (const Diagnostic &diagnostic : diagnostics.diagnostics())
    isTooDeep |= diagnostic.kind == DiagnosticKind::TooDeep;
  return diagnostics.hasErrors() ? "" : print(file);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bool isTooDeep = false;
  std::string once = canonical(std::string(reinterpret_cast<const char *>(data), size), isTooDeep);
  std::string twice = canonical(once, isTooDeep);
  require(twice == once || isTooDeep);
  return 0;
}
