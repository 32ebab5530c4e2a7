//===- TokenCursor.h - token cursor of the parser, with error recovery --------------------------------------------===//
//
// After an error the cursor is lost: further errors are dropped and no token is accepted, so that all loops over tokens
// end. `elements`, the loop over statements, members or items, then skips to the next element and continues. No error
// is reported after an unmatched bracket, where the nesting is unknown.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/Lexer.h"
#include "frontends/attn/Parse/Parse.h"

#include <functional>

namespace attnc {

class TokenCursor {
public:
  TokenCursor(const SourceManager &sources, const TokenStream &stream, DiagnosticEngine &diagnostics)
      : sources(sources), stream(stream), diagnostics(diagnostics) {}

  /// Parsing rules that depend on the enclosing brackets.
  struct Context {
    bool newlines = true; ///< line breaks end statements
    bool lambdas =
        true; ///< `x =>` begins a lambda; not in `sum k < x => ...` and `where ... x => ...` (° in the grammar)
  };

  //===- Tokens -------------------------------------------------------------------------------------------------===//

  const Token &current() const { return stream.tokens[at]; }
  const Token &peek(uint32_t ahead) const;
  const Token &previous() const { return stream.tokens[at == 0 ? 0 : at - 1]; }
  bool is(TokenKind kind) const { return current().kind == kind; }
  bool isWord(std::string_view word) const { return isWordAt(0, word); }
  bool isWordAt(uint32_t ahead, std::string_view word) const;
  std::string_view text(const Token &token) const { return sources.text(token.range); }
  /// Returns the text of the `///` comment above the current token.
  std::string doc() const;
  /// Returns the token after the bracket at `ahead` and its partner; null for an unmatched bracket.
  const Token *behindBracket(uint32_t ahead) const;
  /// Returns the range from `start` to the last accepted token.
  SourceRange since(SourceRange start) const { return merge(start, previous().range); }

  bool endsAtLines() const { return context.newlines; }
  bool allowsLambda() const { return context.lambdas; }
  /// True if the current token begins a line and line breaks end statements.
  bool atLineEnd() const { return context.newlines && current().startsLine; }

  Token take();
  bool accept(TokenKind kind);
  bool acceptWord(std::string_view word);
  bool expect(TokenKind kind, const char *where);
  ast::Name name(const char *what);
  ast::Name nameOnLine(const char *what);
  /// Parses elements between the current bracket and its partner, separated by commas, with an optional trailing comma.
  void commaList(TokenKind close, const char *where, const std::function<void()> &element);
  /// Parses elements until `ends`; after an error it skips to a token that `begins` accepts as the start of an element.
  void elements(const std::function<bool()> &ends, const std::function<void()> &element,
                const std::function<bool()> &begins);
  /// Accepts the end of a statement, member or item: the end of its line or block, or `;`.
  bool endOfStatement();
  /// Enters a level of nesting until the end of the enclosing NestingScope; an error beyond the limit.
  bool enter();

  //===- Errors -------------------------------------------------------------------------------------------------===//

  bool isLost() const { return lost; }
  size_t errorCount() const { return diagnostics.errorCount(); }
  /// Reports an error; null if it is dropped.
  Diagnostic *report(DiagnosticKind kind, SourceRange range, std::string message);
  /// Reports an error and makes the cursor lost.
  Diagnostic *error(DiagnosticKind kind, SourceRange range, std::string message);
  Diagnostic *expected(const std::string &what);

private:
  const SourceManager &sources;
  const TokenStream &stream;
  DiagnosticEngine &diagnostics;
  uint32_t at = 0;
  Context context;
  bool lost = false; ///< an error was reported from which the parser has not recovered
  unsigned nesting = 0;

  friend class ContextScope;
  friend class NestingScope;
};

/// Sets the context until the scope ends.
class ContextScope {
public:
  ContextScope(TokenCursor &tokens, TokenCursor::Context context) : tokens(tokens), before(tokens.context) {
    tokens.context = context;
  }
  ~ContextScope() { tokens.context = before; }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

private:
  TokenCursor &tokens;
  TokenCursor::Context before;
};

/// Restores the nesting depth when the scope ends.
class NestingScope {
public:
  explicit NestingScope(TokenCursor &tokens) : tokens(tokens), before(tokens.nesting) {}
  ~NestingScope() { tokens.nesting = before; }
  NestingScope(const NestingScope &) = delete;
  NestingScope &operator=(const NestingScope &) = delete;

private:
  TokenCursor &tokens;
  unsigned before;
};

} // namespace attnc
