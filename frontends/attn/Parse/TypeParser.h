//===- TypeParser.h - parser of tensor types: `f32[batch, seq <= context]` ----------------------------------------===//
#pragma once

#include "frontends/attn/Parse/TokenCursor.h"

namespace attnc {

class ExpressionParser;

class TypeParser {
public:
  TypeParser(TokenCursor &tokens, ExpressionParser &expressions) : tokens(tokens), expressions(expressions) {}

  ast::TensorType type();
  void unknownType(SourceRange range, const std::string &word);

private:
  ast::Dimension dimension();

  TokenCursor &tokens;
  ExpressionParser &expressions;
};

} // namespace attnc
