//===- TypeParser.h - parser of tensor types: `f32[batch, seq <= context]` ----------------------------------------===//
#pragma once

#include "frontends/attn/Parse/TokenCursor.h"

namespace attnc {

class ExpressionParser;

/// Parser of tensor types. Sizes and bounds of dimensions are expressions, which `expressions` parses.
class TypeParser {
public:
  TypeParser(TokenCursor &tokens, ExpressionParser &expressions) : tokens(tokens), expressions(expressions) {}

  /// Parses a type from the current token on. After an error, which is reported, the cursor is lost and the returned
  /// type is incomplete; an unknown element type becomes f32.
  ast::TensorType type();
  /// Reports that `word`, at `range`, is not an element type, with the most similar element type as a hint. The cursor
  /// is then lost.
  void unknownType(SourceRange range, const std::string &word);

private:
  ast::Dimension dimension();

  TokenCursor &tokens;
  ExpressionParser &expressions;
};

} // namespace attnc
