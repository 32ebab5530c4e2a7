//===- TokenReader.h - position in the tokens of a file, with look-ahead ------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/Lexer.h"

namespace attnc {

/// A read position in the tokens of a file: the number of the current token. `ahead` counts tokens from the current
/// one, which is 0. The position is always that of a token, at most that of EndOfFile.
class TokenReader {
public:
  TokenReader(const SourceManager &sources, const TokenStream &stream) : sources(sources), stream(stream) {}

  const Token &current() const { return stream.tokens[at]; }
  /// Returns the token `ahead` tokens after the current one, at most the EndOfFile.
  const Token &peek(uint32_t ahead) const;
  /// Returns the token before the current one; at the first token, the first token.
  const Token &previous() const { return stream.tokens[at == 0 ? 0 : at - 1]; }
  bool is(TokenKind kind) const { return current().kind == kind; }
  /// True if the current token is the name `word`. Words such as `use` and `where` are names for the lexer, not
  /// keywords.
  bool isWord(std::string_view word) const { return is(TokenKind::Identifier) && text(current()) == word; }
  /// Returns the source text of a token.
  std::string_view text(const Token &token) const { return sources.text(token.range); }
  /// Returns the text of the `///` comment above the current token, or an empty text.
  std::string doc() const;
  /// Returns the token directly behind the closing bracket whose opening bracket is the token at `ahead`; null if the
  /// token at `ahead` is not a matched bracket. For a closing bracket it is the token behind the opening one.
  const Token *behindBracket(uint32_t ahead) const;
  /// Returns the source range from the beginning of `start` to the end of the token before the current one.
  SourceRange since(SourceRange start) const { return merge(start, previous().range); }
  /// True if all brackets before the current token are matched, so that the nesting is known.
  bool isBalanced() const { return at <= stream.firstUnbalanced; }

  /// Returns the current token and advances; never beyond EndOfFile.
  Token take();
  /// Returns the number of the current token, and moves to an earlier one.
  uint32_t position() const { return at; }
  void returnTo(uint32_t position) { at = position; }
  /// Moves behind the current token; if it is a matched opening bracket, behind its partner.
  void skip();

private:
  const SourceManager &sources;
  const TokenStream &stream;
  uint32_t at = 0; ///< the number of the current token
};

} // namespace attnc
