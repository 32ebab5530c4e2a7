//===- Lexer.h - a model file as words ------------------------------------------------------------------------===//
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
  LeftArrow, ///< `<-`; in an expression a `<` and a `-`
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

/// How a kind of token is spelt: "`=>`", "a name", "the end of the file".
std::string describe(TokenKind kind);

struct Token {
  static constexpr uint32_t none = ~uint32_t(0);

  TokenKind kind = TokenKind::EndOfFile;
  bool startsLine = false; ///< a line break lies between this token and the one before
  bool damaged = false;    ///< characters before it were reported and skipped
  SourceRange range;
  uint32_t partner = none; ///< of a bracket: the number of the token that it belongs with
  uint32_t doc = none;     ///< the number of the `///` comment above it
};

/// The tokens of a file; the last is EndOfFile.
struct TokenStream {
  std::vector<Token> tokens;
  /// The text of comments: lines of `///` that stand directly above a line.
  std::vector<std::string> docs;
  /// Where the first bracket without partner stands; behind it the parser cannot know what belongs to what.
  uint32_t firstUnbalanced = Token::none;
};

/// Splits a file into tokens, pairs its brackets, and reports what is neither.
TokenStream lex(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics);

} // namespace attnc
