#include "frontends/attn/Parse/AST.h"

#include <array>
#include <utility>

namespace attnc::ast {

ScanExpr::ScanExpr(SourceRange range) : ExprOf(range) {}
ScanExpr::~ScanExpr() = default;

static constexpr std::array<std::pair<std::string_view, ElementType>, 8> elementTypes = {{
    {"f32", ElementType::F32},
    {"f16", ElementType::F16},
    {"bf16", ElementType::BF16},
    {"f64", ElementType::F64},
    {"i8", ElementType::I8},
    {"i32", ElementType::I32},
    {"i64", ElementType::I64},
    {"bool", ElementType::Bool},
}};

std::optional<ElementType> elementTypeNamed(std::string_view word) {
  for (auto [name, type] : elementTypes)
    if (name == word)
      return type;
  return std::nullopt;
}

std::string_view nameOf(ElementType type) {
  for (auto [name, candidate] : elementTypes)
    if (candidate == type)
      return name;
  return "f32";
}

} // namespace attnc::ast
