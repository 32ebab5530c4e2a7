//===- ExpressionParser.h - parser of expressions, by precedence --------------------------------------------------===//
//
//   or    and    not    == != < <= > >=    + -    * / % @    - (sign)    **    f(x)  x[i]  x.y  x'
//
// The list begins with the lowest precedence. `if`, lambdas, index notation, reductions, `attend` and `scan` have a
// still lower precedence: each is an operand whose last part extends as far right as it can. Binary operators group to
// the left, `**` groups to the right, and comparisons do not chain.
//
// After a syntax error, which is reported, a function returns the part that it has parsed, or an ErrorExpr, never null.
// The cursor is then lost (TokenCursor.h).
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/IndexingParser.h"

namespace attnc {

/// Recursive-descent parser of expressions. Each function begins at the current token of `tokens`, which it shares with
/// the other parsers of a file, and advances behind the construct. `statements` parses the bodies of scans.
class ExpressionParser {
public:
  ExpressionParser(TokenCursor &tokens, StatementParser &statements)
      : tokens(tokens), indexing(tokens, *this, statements) {}

  /// Parses an expression of any precedence.
  ast::ExprPtr expression();
  /// Parses an expression whose outermost binary operators are neither comparisons nor `and` and `or`, such as the
  /// bound of an index or of a dimension.
  ast::ExprPtr sum();
  /// Parses a string literal; the current token is a String. Returns a StringExpr, with escapes replaced.
  ast::ExprPtr string();
  /// Parses the rest of `if c then a else b`, from `then` on; `condition` is c, `start` is the range of `if`.
  ast::ExprPtr conditional(SourceRange start, ast::ExprPtr condition);
  /// Parses `l < n` or `block in blocks`; `for` has been accepted.
  ast::Iteration iteration();
  /// Parses the arguments of a call of `callee`, with their parentheses; the current token is `(`. Returns a CallExpr
  /// with the source range of `callee`, which the caller extends.
  ast::ExprPtr call(ast::ExprPtr callee);
  /// Parses `[...]`, subscripts with their brackets; the current token is `[`.
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
