//===- TypeParser.h - parser of tensor types: `f32[batch, seq <= context]` ----------------------------------------===//
#pragma once

#include "frontends/attn/Parse/TokenCursor.h"

namespace attnc {

class ExpressionParser;

/// Parser of tensor types: an element type and, in brackets on the same line, dimensions; a scalar has no brackets. A
/// dimension is `..`, or a size with an optional bound. Sizes and bounds are sums, which `expressions` parses.
class TypeParser {
public:
  TypeParser(TokenCursor &tokens, ExpressionParser &expressions) : tokens(tokens), expressions(expressions) {}

  /// Parses a type from the current token on. After an error, which is reported, the cursor is lost and the returned
  /// type is incomplete; an unknown element type becomes f32.
  ast::TensorType type();
  /// Reports that `word`, at `range`, is not an element type. The hint is the element type with a similar name or, if
  /// there is none, the list of supported types. The cursor is then lost.
  void unknownType(SourceRange range, const std::string &word);

private:
  ast::Dimension dimension();

  TokenCursor &tokens;
  ExpressionParser &expressions;
};

} // namespace attnc
