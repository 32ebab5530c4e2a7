//===- StatementParser.h - parser of blocks and statements --------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/ExpressionParser.h"
#include "frontends/attn/Parse/TypeParser.h"

namespace attnc {

/// Recursive-descent parser of statements. It owns the parsers of expressions and types, which the parser of
/// declarations uses too. An expression can contain a block (the body of a scan), for which the expression parser calls
/// this one.
class StatementParser {
public:
  explicit StatementParser(TokenCursor &tokens)
      : tokens(tokens), expressions(tokens, *this), types(tokens, expressions) {}

  /// Parses `{ ... }` from the current token on. If there is no brace, reports "expected `{` WHERE, found ..." and
  /// returns an empty block. After an error in a statement, continues at the next statement.
  ast::Block block(const char *where);
  /// Parses `const name = e`; the current token is `const`.
  ast::ConstDecl constDecl();

  ExpressionParser &getExpressions() { return expressions; }
  TypeParser &getTypes() { return types; }

private:
  ast::StmtPtr statement();
  ast::StmtPtr letStatement();
  ast::StmtPtr forStatement();
  ast::StmtPtr ifStatement();
  ast::StmtPtr returnStatement();
  ast::StmtPtr simpleStatement();
  ast::Pattern pattern();

  TokenCursor &tokens;
  ExpressionParser expressions;
  TypeParser types;
};

} // namespace attnc
