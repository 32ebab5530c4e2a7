#include "frontends/attn/Parse/TokenCursor.h"

#include <fmt/format.h>

namespace attnc {

//===- Tokens -------------------------------------------------------------------------------------------------===//

bool TokenCursor::accept(TokenKind kind) {
  if (lost || !is(kind))
    return false;
  take();
  return true;
}

bool TokenCursor::acceptWord(std::string_view word) {
  if (lost || !isWord(word))
    return false;
  take();
  return true;
}

bool TokenCursor::expect(TokenKind kind, const char *where) {
  if (accept(kind))
    return true;
  expected(fmt::format("{} {}", describe(kind), where));
  return false;
}

ast::Name TokenCursor::name(const char *what) {
  if (!lost && is(TokenKind::Identifier)) {
    Token token = take();
    return {std::string(text(token)), token.range};
  }
  expected(what);
  return {"", current().range};
}

ast::Name TokenCursor::nameOnLine(const char *what) {
  if (!atLineEnd())
    return name(what);
  expected(what);
  return {"", current().range};
}

void TokenCursor::commaList(TokenKind close, const char *where, const std::function<void()> &element) {
  SourceRange open = take().range;
  ContextScope scope(*this, {.newlines = false, .lambdas = true});
  while (!lost && !is(close)) {
    element();
    if (lost || accept(TokenKind::Comma) || is(close))
      continue;
    if (Diagnostic *diagnostic = expected(fmt::format("`,` or {} {}", describe(close), where)))
      diagnostic->label(open, "opened here");
  }
  accept(close);
}

//===- Errors -------------------------------------------------------------------------------------------------===//

Diagnostic *TokenCursor::report(DiagnosticKind kind, SourceRange range, std::string message) {
  if (lost || current().damaged || !isBalanced())
    return nullptr;
  return &diagnostics.error(kind, range, std::move(message));
}

Diagnostic *TokenCursor::error(DiagnosticKind kind, SourceRange range, std::string message) {
  Diagnostic *diagnostic = report(kind, range, std::move(message));
  lost = true;
  return diagnostic;
}

Diagnostic *TokenCursor::expected(const std::string &what) {
  if (atLineEnd() && position() > 0 && !is(TokenKind::EndOfFile)) {
    uint32_t end = previous().range.end;
    return error(DiagnosticKind::Syntax, {current().range.file, end, end},
                 fmt::format("expected {}, found the end of the line", what));
  }
  std::string found = is(TokenKind::EndOfFile) ? describe(TokenKind::EndOfFile) : fmt::format("`{}`", text(current()));
  Diagnostic *diagnostic =
      error(DiagnosticKind::Syntax, current().range, fmt::format("expected {}, found {}", what, found));
  if (diagnostic && is(TokenKind::LeftArrow))
    diagnostic->hint("`<-` updates a state; a comparison is written `a < -b`");
  return diagnostic;
}

bool TokenCursor::endOfStatement() {
  if (lost)
    return false;
  if (accept(TokenKind::Semicolon) || current().startsLine || is(TokenKind::RightBrace) || is(TokenKind::EndOfFile))
    return true;
  Diagnostic *diagnostic = expected("the end of the line");
  if (diagnostic && is(TokenKind::Assign))
    diagnostic->hint("`==` compares; only a variable can be assigned");
  return false;
}

bool TokenCursor::enter() {
  if (++nesting <= maximumNesting)
    return true;
  if (Diagnostic *diagnostic = error(DiagnosticKind::TooDeep, current().range,
                                     fmt::format("nested more than {} levels deep", maximumNesting)))
    diagnostic->hint("bind parts of it with `let`");
  return false;
}

void TokenCursor::elements(const std::function<bool()> &ends, const std::function<void()> &element,
                           const std::function<bool()> &begins) {
  while (!is(TokenKind::EndOfFile) && !ends()) {
    uint32_t start = position();
    element();
    if (!lost)
      continue;
    // Leave the brackets that the element opened, then skip to the start of the next element.
    uint32_t failed = position();
    returnTo(start);
    do
      skip();
    while (!is(TokenKind::EndOfFile) && !ends() && (position() < failed || !begins()));
    lost = false;
  }
}

} // namespace attnc
