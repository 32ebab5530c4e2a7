//===- TokenReader.h - position in the tokens of a file, with look-ahead ------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/Lexer.h"

namespace attnc {

/// The number of the current token, over the tokens of a file. `ahead` counts tokens from the current one.
class TokenReader {
public:
  TokenReader(const SourceManager &sources, const TokenStream &stream) : sources(sources), stream(stream) {}

  const Token &current() const { return stream.tokens[at]; }
  /// Returns the token `ahead` tokens after the current one, at most the EndOfFile.
  const Token &peek(uint32_t ahead) const;
  const Token &previous() const { return stream.tokens[at == 0 ? 0 : at - 1]; }
  bool is(TokenKind kind) const { return current().kind == kind; }
  /// True if the current token is the name `word`; words such as `use` and `where` are no keywords.
  bool isWord(std::string_view word) const { return is(TokenKind::Identifier) && text(current()) == word; }
  std::string_view text(const Token &token) const { return sources.text(token.range); }
  /// Returns the text of the `///` comment above the current token, or an empty text.
  std::string doc() const;
  /// Returns the token behind the closing bracket whose opening bracket is at `ahead`; null if that is not a matched
  /// bracket.
  const Token *behindBracket(uint32_t ahead) const;
  /// Returns the range from `start` to the last token before the current one.
  SourceRange since(SourceRange start) const { return merge(start, previous().range); }
  /// True if no bracket before the current token is unmatched, so that the nesting is known.
  bool isBalanced() const { return at <= stream.firstUnbalanced; }

  /// Returns the current token and advances; never beyond EndOfFile.
  Token take();
  uint32_t position() const { return at; }
  void returnTo(uint32_t position) { at = position; }
  /// Moves behind the current token, and behind the partner of an opening bracket.
  void skip();

private:
  const SourceManager &sources;
  const TokenStream &stream;
  uint32_t at = 0; ///< the number of the current token
};

} // namespace attnc
