//===- TypeParser.h - parser of tensor types: `f32[batch, seq <= context]` ----------------------------------------===//
#pragma once

#include "frontends/attn/Parse/TokenCursor.h"

namespace attnc {

class ExpressionParser;

/// Parser of tensor types. Sizes and bounds of dimensions are expressions.
class TypeParser {
public:
  TypeParser(TokenCursor &tokens, ExpressionParser &expressions) : tokens(tokens), expressions(expressions) {}

  /// Parses a type. An unknown element type is reported and read as f32.
  ast::TensorType type();
  /// Reports that `word` is not an element type, with the most similar one as a hint.
  void unknownType(SourceRange range, const std::string &word);

private:
  ast::Dimension dimension();

  TokenCursor &tokens;
  ExpressionParser &expressions;
};

} // namespace attnc
