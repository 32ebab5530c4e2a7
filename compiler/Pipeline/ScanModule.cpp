#include "compiler/Pipeline/ScanModule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace attnc {

/// The word of letters, digits and underscores at an offset.
static llvm::StringRef wordAt(llvm::StringRef text, size_t at) {
  return text.substr(at).take_while([](char each) { return llvm::isAlnum(each) || each == '_'; });
}

/// The text without leading white space and comments.
static llvm::StringRef skipSpace(llvm::StringRef text) {
  for (text = text.ltrim(); text.starts_with("//"); text = text.ltrim())
    text = text.drop_while([](char each) { return each != '\n'; });
  return text;
}

/// Whether the text begins with `= [`, a list of decimal integers and `]`.
static bool assignsIntegers(llvm::StringRef text) {
  auto takes = [&](llvm::StringRef token) {
    text = skipSpace(text);
    return text.consume_front(token);
  };
  if (!takes("=") || !takes("["))
    return false;
  if (takes("]"))
    return true;
  do {
    int64_t value;
    text = skipSpace(text);
    if (text.consumeInteger(10, value))
      return false;
  } while (takes(","));
  return takes("]");
}

/// MLIR's parser dereferences a null attribute (llvm-project, parseDenseI64ArrayAttr in LinalgOps.cpp).
static bool isBadList(llvm::StringRef text, size_t at, llvm::StringRef word) {
  return (word == "permutation" || word == "dimensions") && text.take_front(at).rtrim().ends_with(")") &&
         !assignsIntegers(text.substr(at + word.size()));
}

/// Limits the nesting of brackets, and the number of operators of one affine expression, which bounds its recursion
/// depth. An expression consists of words, numbers, operators and parentheses; white space and comments do not end it,
/// any other character does.
std::optional<UnparsablePlace> scanModule(llvm::StringRef text) {
  constexpr size_t most = 500;
  size_t depth = 0, operators = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    char each = text[at];
    bool isArrow = each == '>' && at > 0 && text[at - 1] == '-', endsExpression = false;
    if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (llvm::isAlpha(each) || each == '_') {
      llvm::StringRef word = wordAt(text, at);
      if (isBadList(text, at, word))
        return UnparsablePlace{at + word.size(), "expected `= [` integers `]`"};
      operators += word == "mod" || word == "floordiv" || word == "ceildiv";
      at += word.size() - 1;
    } else if (llvm::StringRef("+-*").contains(each)) {
      ++operators;
    } else {
      endsExpression = !llvm::isSpace(each) && !llvm::isDigit(each) && each != '(' && each != ')';
      depth += llvm::StringRef("([{<").contains(each);
      depth -= depth > 0 && llvm::StringRef(")]}>").contains(each) && !isArrow;
    }
    if (each == '"')
      while (++at < text.size() && text[at] != '"' && text[at] != '\n')
        at += text[at] == '\\';
    operators = endsExpression ? 0 : operators;
    if (depth > most)
      return UnparsablePlace{at, llvm::formatv("nested more than {0} levels deep", most)};
    if (operators > most)
      return UnparsablePlace{at, llvm::formatv("an affine expression of more than {0} operators", most)};
  }
  return std::nullopt;
}

} // namespace attnc
