//===- IndexingParser.h - parser of expressions that bind indices: index notation, reductions, attend, scan -------===//
//
// Lists are parsed here too, because they begin like index notation: `[a, b]` and `[i, j] => body`. The public
// functions require that the current token begins the construct. After a syntax error their result is incomplete, but
// not null.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/TokenCursor.h"

#include <optional>

namespace attnc {

class ExpressionParser;
class StatementParser;

class IndexingParser {
public:
  IndexingParser(TokenCursor &tokens, ExpressionParser &expressions, StatementParser &statements)
      : tokens(tokens), expressions(expressions), statements(statements) {}

  /// Parses a list in one of its three forms (`[a, b]`, `[a; n]`, `[f(l) for l < n]`), or `[i, j] => body`.
  ast::ExprPtr squareBracketed();
  /// Returns the operator of the reduction that begins at the current token; null if none begins there. Accepts no
  /// token.
  std::optional<ast::ReduceOp> atReduce() const;
  ast::ExprPtr reduce(ast::ReduceOp op);
  ast::ExprPtr attend();
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
