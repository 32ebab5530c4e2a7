#include "frontends/attn/Parse/Parse.h"

#include "frontends/attn/Parse/DeclarationParser.h"

namespace attnc {

ast::File parseFile(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics) {
  TokenStream stream = lex(sources, file, diagnostics);
  TokenCursor tokens(sources, stream, diagnostics);
  return DeclarationParser(tokens).file(file);
}

} // namespace attnc
