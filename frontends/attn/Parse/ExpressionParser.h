//===- ExpressionParser.h - parser of expressions, by precedence --------------------------------------------------===//
//
//   or    and    not    == != < <= > >=    + -    * / % @    - (sign)    **    f(x)  x[i]  x.y  x'
//
// The list begins with the lowest precedence. `if`, lambdas, index notation, reductions, `attend` and `scan` have a
// lower one: each is an operand whose last part extends as far right as it can.
//
// After a syntax error a function returns the part that it has parsed, or an ErrorExpr, never null.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/IndexingParser.h"

namespace attnc {

class ExpressionParser {
public:
  ExpressionParser(TokenCursor &tokens, StatementParser &statements)
      : tokens(tokens), indexing(tokens, *this, statements) {}

  /// Parses an expression of any precedence.
  ast::ExprPtr expression();
  /// Parses an expression whose outermost operators are neither comparisons nor logical operators, such as a bound.
  ast::ExprPtr sum();
  /// Parses the current token, a String.
  ast::ExprPtr string();
  /// Parses the rest of `if c then a else b`, from `then` on; `start` is the range of `if`.
  ast::ExprPtr conditional(SourceRange start, ast::ExprPtr condition);
  /// Parses `l < n` or `block in blocks`, after `for`.
  ast::Iteration iteration();
  /// Parses the arguments of a call; the current token is `(`.
  ast::ExprPtr call(ast::ExprPtr callee);
  /// Parses the subscripts between brackets; the current token is `[`.
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
