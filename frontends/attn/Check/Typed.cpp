#include "frontends/attn/Check/Typed.h"

namespace attnc::typed {

const char *textOf(Element element) {
  switch (element) {
  case Element::F32:
    return "f32";
  case Element::I32:
    return "i32";
  case Element::Bool:
    return "bool";
  case Element::Index:
    return "index";
  }
  return "";
}

std::string textOf(const Type &type) {
  return type.shape.empty() ? textOf(type.element) : textOf(type.element) + attnc::textOf(type.shape);
}

const char *textOf(Op op) {
  static constexpr const char *names[] = {"add",   "sub", "mul", "div", "rem", "pow", "min", "max", "eq",  "ne",
                                          "lt",    "le",  "gt",  "ge",  "and", "or",  "neg", "not", "abs", "stop",
#define ATTN_MATH_FUNCTION(NAME, OP, DOC, VALUE, COSTLY, MLIR) #NAME,
#include "frontends/attn/Check/MathFunctions.def"
                                          "select"};
  static_assert(std::size(names) == static_cast<size_t>(Op::Select) + 1);
  return names[static_cast<size_t>(op)];
}

const char *textOf(Combiner combiner) {
  static constexpr const char *names[] = {"add", "mul", "max", "min", "and", "or", "argmax", "argmin"};
  static_assert(std::size(names) == static_cast<size_t>(Combiner::ArgMin) + 1);
  return names[static_cast<size_t>(combiner)];
}

static constexpr const char *normaliserWords[] = {
#define ATTN_NORMALISER(NAME, WORD, TRAITS) WORD,
#include "dialects/Attn/Normalisers.def"
};

const char *textOf(Normaliser normaliser) { return normaliserWords[static_cast<size_t>(normaliser)]; }

} // namespace attnc::typed
