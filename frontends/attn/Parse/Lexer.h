//===- Lexer.h - lexer: a model file to tokens --------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Diagnostic.h"

#include <string>
#include <vector>

namespace attnc {

enum class TokenKind {
  EndOfFile,
  Identifier,
  Integer,
  Float,
  String,
  // keywords
  KwAnd,
  KwAs,
  KwAttend,
  KwConst,
  KwElse,
  KwExport,
  KwFalse,
  KwFn,
  KwFor,
  KwIf,
  KwIn,
  KwLet,
  KwNot,
  KwOr,
  KwReturn,
  KwScan,
  KwThen,
  KwTrue,
  KwVar,
  // brackets
  LeftParen,
  RightParen,
  LeftSquare,
  RightSquare,
  LeftBrace,
  RightBrace,
  // punctuation
  Comma,
  Colon,
  Semicolon,
  Dot,
  Rest, ///< `..`
  Hash,
  FatArrow,  ///< `=>`
  Arrow,     ///< `->`
  LeftArrow, ///< `<-`, also in `a <-b`: a comparison needs the space of `a < -b`
  Assign,
  // operators
  Plus,
  Minus,
  Star,
  StarStar,
  Slash,
  Percent,
  At,
  Quote, ///< `'`, transpose
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
};

/// Returns the description of a kind of token in messages: "`=>`", "a name", "the end of the file".
std::string describe(TokenKind kind);

/// A token of a file. Tokens are numbered by their positions in TokenStream::tokens.
struct Token {
  static constexpr uint32_t none = ~uint32_t(0);

  TokenKind kind = TokenKind::EndOfFile;
  bool startsLine = false; ///< it is the first token of its line
  bool damaged = false;    ///< invalid characters between it and the previous token were reported and skipped
  SourceRange range;
  uint32_t partner = none; ///< number of the matching bracket; none for an unmatched bracket and for other tokens
  uint32_t doc = none;     ///< index in `docs` of the `///` comment above it, without an empty line between; or none
};

/// The tokens of a file; the last one is EndOfFile.
struct TokenStream {
  std::vector<Token> tokens;
  /// Texts of `///` comments, without the slashes, lines separated by line breaks.
  std::vector<std::string> docs;
  /// Number of the first unmatched bracket, behind which the nesting is unknown; none if all brackets match.
  uint32_t firstUnbalanced = Token::none;
};

/// Splits a file of `sources` into tokens and matches its brackets (Brackets.h). Reports invalid characters, numbers
/// and escapes, strings that are not closed, and unmatched brackets, and continues after each; an operator of another
/// language, such as `&&`, is reported and becomes the token of the equivalent operator. For a file that is not UTF-8
/// text it reports one error, and returns only EndOfFile.
TokenStream lex(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics);

} // namespace attnc
