//===- StatementParser.h - parser of blocks and statements --------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/ExpressionParser.h"
#include "frontends/attn/Parse/TypeParser.h"

namespace attnc {

class StatementParser {
public:
  explicit StatementParser(TokenCursor &tokens)
      : tokens(tokens), expressions(tokens, *this), types(tokens, expressions) {}

  ast::Block block(const char *where);
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
