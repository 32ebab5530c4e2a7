//===- TokenCursor.h - token cursor of the parser, with error recovery --------------------------------------------===//
//
// After a syntax error the cursor is lost: further errors are dropped, and `accept`, `expect` and `name` accept no
// token, so that all loops over tokens end. `elements`, the loop over statements, members or items, then skips to the
// next element and continues; the cursor is no longer lost. Two other kinds of errors are dropped too: errors behind an
// unmatched bracket, where the nesting is unknown, and errors at a token behind invalid characters (Token::damaged).
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/Parse.h"
#include "frontends/attn/Parse/TokenReader.h"

#include <functional>

namespace attnc {

/// A position in the tokens of a file, with the state that the parsers of the file share. The token stream, the sources
/// and the diagnostics outlive it.
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

  /// Return true and advance past the current token if it is of the kind `kind`, or the name `word`. Return false,
  /// without an error, for other tokens and if the cursor is lost.
  bool accept(TokenKind kind);
  bool acceptWord(std::string_view word);
  /// Like accept, with the error "expected KIND WHERE, found ..." for other tokens. `where` ends the message, such as
  /// "after the statements".
  bool expect(TokenKind kind, const char *where);
  /// Accepts a name (an Identifier) and returns it. For other tokens, reports "expected WHAT, found ..." and returns an
  /// empty name.
  ast::Name name(const char *what);
  /// Like name, but where line breaks end statements, the name must be on the line of the token before it.
  ast::Name nameOnLine(const char *what);
  /// Accepts an opening bracket, which is the current token, then a list of elements and the closing bracket `close`.
  /// The list may be empty. `element` parses one element; commas separate the elements, and a comma may follow the last
  /// one. Within the brackets, line breaks end no statements, and lambdas are allowed. `where` ends the message
  /// "expected `,` or `)` ...".
  void commaList(TokenKind close, const char *where, const std::function<void()> &element);
  /// Calls `element`, which parses one element, until `ends` is true of the current token or the file ends. After an
  /// error in an element it skips over the brackets that the element opened, then to a token where `begins` (a token
  /// that can begin an element) or `ends` is true, and the cursor is no longer lost.
  void elements(const std::function<bool()> &ends, const std::function<void()> &element,
                const std::function<bool()> &begins);
  /// Returns true at the end of a statement, member or item: the current token begins a line, is `}` or EndOfFile, or
  /// is `;`, which is accepted. Returns false, with an error, for other tokens, and false if the cursor is lost.
  bool endOfStatement();
  /// Enters a level of nesting, which the end of the enclosing NestingScope leaves, and returns true. Returns false,
  /// with an error, beyond maximumNesting.
  bool enter();

  //===- Errors -------------------------------------------------------------------------------------------------===//

  /// True from an error until `elements` recovers from it.
  bool isLost() const { return lost; }
  /// Returns the number of errors in `diagnostics`, also of other files.
  size_t errorCount() const { return diagnostics.errorCount(); }
  /// Reports an error from which parsing simply continues. Returns the diagnostic, for labels and hints, which the
  /// engine owns; null if the error is dropped.
  Diagnostic *report(DiagnosticKind kind, SourceRange range, std::string message);
  /// Like report, but the cursor is then lost, also if the error is dropped.
  Diagnostic *error(DiagnosticKind kind, SourceRange range, std::string message);
  /// Reports, as `error` does, "expected WHAT, found ..." with the current token, or with the end of the line if
  /// atLineEnd() is true and the file neither begins nor ends here.
  Diagnostic *expected(const std::string &what);

private:
  DiagnosticEngine &diagnostics;
  Context context;
  bool lost = false; ///< an error was reported from which the parser has not recovered
  unsigned nesting = 0;

  friend class ContextScope;
  friend class NestingScope;
};

/// Sets the context of a cursor from construction to the end of the scope, which restores the previous context.
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
