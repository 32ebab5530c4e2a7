//===- IndexingParser.h - parser of expressions that bind indices: index notation, reductions, attend, scan -------===//
//
// Lists are parsed here too, because they begin like index notation: `[a, b]` and `[i, j] => body`.
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

  ast::ExprPtr squareBracketed();
  /// Returns the reduction that begins at the current token; null if there is none.
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
