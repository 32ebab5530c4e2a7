//===- ExpressionParser.h - parser of expressions, by precedence --------------------------------------------------===//
//
//   or    and    not    == != < <= > >=    + -    * / % @    - (sign)    **    f(x)  x[i]  x.y  x'
//
// `if`, lambdas, index notation, reductions, `attend` and `scan` have the lowest precedence.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/IndexingParser.h"

namespace attnc {

class ExpressionParser {
public:
  ExpressionParser(TokenCursor &tokens, StatementParser &statements)
      : tokens(tokens), indexing(tokens, *this, statements) {}

  ast::ExprPtr expression();
  /// Parses an expression without comparisons and logical operators.
  ast::ExprPtr sum();
  ast::ExprPtr string();
  /// Parses the rest of `if c then a else b` after the condition.
  ast::ExprPtr conditional(SourceRange start, ast::ExprPtr condition);
  /// Parses `l < n` or `block in blocks`, after `for`.
  ast::Iteration iteration();
  ast::ExprPtr call(ast::ExprPtr callee);
  std::vector<ast::SubscriptElement> subscripts();

private:
  ast::ExprPtr binary(int level);
  ast::ExprPtr unary();
  ast::ExprPtr power();
  ast::ExprPtr postfix();
  ast::ExprPtr primary();
  ast::ExprPtr number();
  ast::ExprPtr nameOrLambda();
  ast::ExprPtr parenthesised();
  ast::ExprPtr subscript(ast::ExprPtr object);
  ast::SubscriptElement subscriptElement();
  void noExpression();
  ast::ExprPtr errorExpr();

  TokenCursor &tokens;
  IndexingParser indexing;
};

} // namespace attnc
