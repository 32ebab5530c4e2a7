//===- IndexingParser.h - parser of expressions that bind indices: index notation, reductions, attend, scan -------===//
//
// Index notation `[i, j] => body` builds a tensor from its elements. Lists are parsed here too, because they begin like
// index notation: `[a, b]`. The public functions require that the current token begins the construct, and advance
// behind the construct. After a syntax error their result is incomplete, but not null.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/TokenCursor.h"

#include <optional>

namespace attnc {

class ExpressionParser;
class StatementParser;

/// The part of the recursive-descent parser of expressions for expressions that bind indices. ExpressionParser owns it.
class IndexingParser {
public:
  IndexingParser(TokenCursor &tokens, ExpressionParser &expressions, StatementParser &statements)
      : tokens(tokens), expressions(expressions), statements(statements) {}

  /// Parses a list in one of its three forms (`[a, b]`, `[a; n]`, `[f(l) for l < n]`), or `[i, j] => body`.
  ast::ExprPtr squareBracketed();
  /// Returns the operator of the reduction, such as `sum k => body`, that begins at the current token; null if none
  /// begins there. Accepts no token.
  std::optional<ast::ReduceOp> atReduce() const;
  /// Parses a reduction with the operator `op`, the result of atReduce.
  ast::ExprPtr reduce(ast::ReduceOp op);
  /// Parses `attend j { ... }`; the current token is `attend`.
  ast::ExprPtr attend();
  /// Parses `scan t over n carry (...) { ... } -> ...`; the current token is `scan`.
  ast::ExprPtr scan();

private:
  ast::ExprPtr build();
  std::vector<ast::Binder> keys();
  ast::Binder binder();
  void attendEntry(ast::AttendExpr &attend);
  ast::ExprPtr yielded();
  void scanCarries(ast::ScanExpr &scan);
  ast::ScanResult scanResult();

  TokenCursor &tokens;
  ExpressionParser &expressions;
  StatementParser &statements;
};

} // namespace attnc
