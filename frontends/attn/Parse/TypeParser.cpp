#include "frontends/attn/Parse/TypeParser.h"

#include "compiler/Diagnostics/Spelling.h"
#include "frontends/attn/Parse/ExpressionParser.h"

#include <fmt/format.h>

namespace attnc {

using namespace ast;

// type = elementType ["[" dimension,* "]"]
TensorType TypeParser::type() {
  TensorType type;
  SourceRange start = tokens.current().range;
  Name word = tokens.name("a type");
  if (tokens.isLost())
    return type;
  if (auto element = elementTypeNamed(word.text))
    type.element = *element;
  else
    unknownType(word.range, word.text);
  if (!tokens.isLost() && tokens.is(TokenKind::LeftSquare) && !tokens.atLineEnd())
    tokens.commaList(TokenKind::RightSquare, "after the dimensions", [&] { type.dimensions.push_back(dimension()); });
  type.range = tokens.since(start);
  return type;
}

void TypeParser::unknownType(SourceRange range, const std::string &word) {
  static const std::vector<std::string> words = {"f32", "i32", "bool", "f16", "bf16", "f64", "i8", "i64"};
  Diagnostic *diagnostic =
      tokens.error(DiagnosticKind::UnknownType, range, fmt::format("`{}` is not an element type", word));
  if (!diagnostic)
    return;
  if (auto near = nearest(word, words))
    diagnostic->hint(fmt::format("did you mean `{}`?", *near));
  else
    diagnostic->hint("element types are `f32`, `i32` and `bool`");
}

// dimension = ".." | sum ["<=" sum]
Dimension TypeParser::dimension() {
  Dimension dimension;
  SourceRange start = tokens.current().range;
  if (tokens.accept(TokenKind::Rest)) {
    dimension.isRest = true;
  } else {
    dimension.size = expressions.sum();
    if (tokens.accept(TokenKind::LessEqual))
      dimension.bound = expressions.sum();
    else if (!tokens.isLost() && tokens.is(TokenKind::Less))
      if (Diagnostic *diagnostic = tokens.expected("`<=`"))
        diagnostic->hint("the bound of a dimension can be reached: `seq <= 256`");
  }
  dimension.range = tokens.since(start);
  return dimension;
}

} // namespace attnc
