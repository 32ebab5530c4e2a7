//===- StatementParser.h - parser of blocks and statements --------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/ExpressionParser.h"
#include "frontends/attn/Parse/TypeParser.h"

namespace attnc {

/// Recursive-descent parser of statements. It owns the parsers of expressions and types, which it passes to the parser
/// of declarations. Expressions contain blocks (the body of a scan), so the expression parser calls it back.
class StatementParser {
public:
  explicit StatementParser(TokenCursor &tokens)
      : tokens(tokens), expressions(tokens, *this), types(tokens, expressions) {}

  /// Parses `{ ... }`; `where` ends the message "expected `{` ..." of a missing brace. Recovers from errors in
  /// statements.
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
