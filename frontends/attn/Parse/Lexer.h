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
  LeftArrow, ///< `<-`; in an expression `<` and `-`
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

/// Returns the spelling of a kind of token: "`=>`", "a name", "the end of the file".
std::string describe(TokenKind kind);

struct Token {
  static constexpr uint32_t none = ~uint32_t(0);

  TokenKind kind = TokenKind::EndOfFile;
  bool startsLine = false; ///< a line break precedes it
  bool damaged = false;    ///< invalid characters before it were reported and skipped
  SourceRange range;
  uint32_t partner = none; ///< of a bracket: the number of the matching token
  uint32_t doc = none;     ///< the index in `docs` of the `///` comment above it
};

/// The tokens of a file; the last one is EndOfFile.
struct TokenStream {
  std::vector<Token> tokens;
  /// Texts of `///` comments directly above a line.
  std::vector<std::string> docs;
  /// The first unmatched bracket; the nesting of later tokens is unknown.
  uint32_t firstUnbalanced = Token::none;
};

/// Splits a file into tokens, matches its brackets, and reports invalid characters.
TokenStream lex(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics);

} // namespace attnc
