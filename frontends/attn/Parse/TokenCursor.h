//===- TokenCursor.h - token cursor of the parser, with error recovery --------------------------------------------===//
//
// After an error the cursor is lost: further errors are dropped, and `accept`, `expect` and `name` accept no token, so
// that all loops over tokens end. `elements`, the loop over statements, members or items, then skips to the next
// element and continues. Errors behind an unmatched bracket, where the nesting is unknown, and at a token behind
// invalid characters are dropped too.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/Parse.h"
#include "frontends/attn/Parse/TokenReader.h"

#include <functional>

namespace attnc {

/// A position in the tokens of a file, with the state that the parsers share.
class TokenCursor : public TokenReader {
public:
  TokenCursor(const SourceManager &sources, const TokenStream &stream, DiagnosticEngine &diagnostics)
      : TokenReader(sources, stream), diagnostics(diagnostics) {}

  /// Parsing rules that depend on the enclosing brackets.
  struct Context {
    bool newlines = true; ///< line breaks end statements; not so between parentheses and between square brackets
    /// `x =>`, `(x) =>` and `[i] =>` begin a lambda or index notation. Not so in the bound of `sum k < x => ...` and in
    /// `where ... x => ...`, where `=>` belongs to the reduction (° in docs/grammar.md).
    bool lambdas = true;
  };

  //===- Tokens -------------------------------------------------------------------------------------------------===//

  bool endsAtLines() const { return context.newlines; }
  bool allowsLambda() const { return context.lambdas; }
  /// True if the current token begins a line and line breaks end statements.
  bool atLineEnd() const { return context.newlines && current().startsLine; }

  /// Advance past the current token if it is `kind`, or the name `word`. False, without an error, for other tokens.
  bool accept(TokenKind kind);
  bool acceptWord(std::string_view word);
  /// Like accept, with the error "expected KIND WHERE, found ..." for other tokens.
  bool expect(TokenKind kind, const char *where);
  /// Accepts a name; an empty one, with the error "expected WHAT, found ...", for other tokens.
  ast::Name name(const char *what);
  /// Like name, for a name that must be on the line of the token before it.
  ast::Name nameOnLine(const char *what);
  /// Parses elements from the current token, an opening bracket, to its partner, which it accepts. They are separated
  /// by commas; a comma may follow the last one. Inside, line breaks end nothing, and lambdas are allowed.
  void commaList(TokenKind close, const char *where, const std::function<void()> &element);
  /// Calls `element` until `ends` is true or the file ends. After an error in an element it skips over the brackets
  /// that the element opened, then to a token where `begins` or `ends` is true, and the cursor is not lost any more.
  void elements(const std::function<bool()> &ends, const std::function<void()> &element,
                const std::function<bool()> &begins);
  /// Accepts the end of a statement, member or item: the end of its line or block, or `;`. False, with an error, for
  /// other tokens.
  bool endOfStatement();
  /// Enters a level of nesting, which the end of the enclosing NestingScope leaves. False, with an error, beyond
  /// maximumNesting.
  bool enter();

  //===- Errors -------------------------------------------------------------------------------------------------===//

  bool isLost() const { return lost; }
  size_t errorCount() const { return diagnostics.errorCount(); }
  /// Reports an error from which parsing simply continues. Null if the error is dropped.
  Diagnostic *report(DiagnosticKind kind, SourceRange range, std::string message);
  /// Reports an error and makes the cursor lost. Null if the error is dropped.
  Diagnostic *error(DiagnosticKind kind, SourceRange range, std::string message);
  /// Reports, as `error` does, "expected WHAT, found ..." with the current token or the end of the line.
  Diagnostic *expected(const std::string &what);

private:
  DiagnosticEngine &diagnostics;
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

/// Leaves all levels of nesting that were entered in the scope when the scope ends.
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
