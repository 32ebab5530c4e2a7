#include "compiler/Sizes/SizeExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include <optional>
#include <vector>

namespace attnc {

namespace {

/// sum := "-"? product (("+" | "-") product)*;  product := factor ("*" factor | "/" number)*
/// factor := number | name | "(" sum ")" | function "(" sum "," sum ")"
struct SizeParser {
  llvm::StringRef rest;
  llvm::ArrayRef<std::string> names;
  unsigned depth = 0;
  static constexpr unsigned mostDepth = 64; ///< nesting of parentheses, limited because the text may come from any file

  bool accept(char character) {
    rest = rest.ltrim();
    return rest.consume_front(llvm::StringRef(&character, 1));
  }

  std::optional<SizeExpr> sum() {
    if (depth >= mostDepth)
      return std::nullopt;
    llvm::SaveAndRestore deeper(depth, depth + 1);
    bool isNegative = accept('-');
    std::optional<SizeExpr> result = product();
    if (isNegative && result)
      result = *result * SizeExpr(-1);
    while (result) {
      bool plus = accept('+');
      if (!plus && !accept('-'))
        break;
      std::optional<SizeExpr> next = product();
      if (!next)
        return std::nullopt;
      result = plus ? *result + *next : *result - *next;
    }
    return result;
  }

  std::optional<SizeExpr> product() {
    std::optional<SizeExpr> result = factor();
    while (result) {
      bool divides = accept('/');
      if (!divides && !accept('*'))
        break;
      std::optional<SizeExpr> next = factor();
      if (next && divides)
        result = next->isConstant() && next->constant() > 0 ? std::optional(result->floorDiv(next->constant()))
                                                            : std::nullopt;
      else
        result = next ? SizeExpr::checkedProduct(*result, *next) : std::nullopt;
    }
    return result;
  }

  std::optional<SizeExpr> factor() {
    if (accept('(')) {
      std::optional<SizeExpr> inner = sum();
      return inner && accept(')') ? inner : std::nullopt;
    }
    int64_t number;
    if (!rest.consumeInteger(10, number))
      return SizeExpr(number);
    llvm::StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    rest = rest.drop_front(name.size());
    if (accept('('))
      return call(name);
    const std::string *found = llvm::find(names, name);
    return found == names.end() ? std::nullopt : std::optional(SizeExpr::symbol(found - names.begin()));
  }

  std::optional<SizeExpr> call(llvm::StringRef function) {
    std::vector<SizeExpr> operands;
    do {
      std::optional<SizeExpr> operand = sum();
      if (!operand)
        return std::nullopt;
      operands.push_back(*operand);
    } while (accept(','));
    if (!accept(')') || operands.size() < 2)
      return std::nullopt;
    SizeExpr first = operands.front(), last = operands.back();
    if (function == "max" || function == "min") {
      for (const SizeExpr &operand : llvm::drop_begin(operands))
        first = function == "max" ? SizeExpr::max(first, operand) : SizeExpr::min(first, operand);
      return first;
    }
    if (operands.size() != 2 || !last.isConstant() || last.constant() < 1)
      return std::nullopt;
    return function == "ceildiv" ? std::optional(first.ceilDiv(last.constant())) : std::nullopt;
  }
};

} // namespace

std::optional<SizeExpr> SizeExpr::parse(llvm::StringRef text, llvm::ArrayRef<std::string> names) {
  SizeParser parser{text, names};
  std::optional<SizeExpr> result = parser.sum();
  return parser.rest.trim().empty() ? result : std::nullopt;
}

} // namespace attnc
