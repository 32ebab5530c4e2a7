#include "dialects/Model/CheckpointName.h"
#include "llvm/ADT/StringExtras.h"
#include <optional>

namespace attnc::model {

using llvm::ArrayRef;
using llvm::StringRef;

/// The value of a term of a placeholder: "1", "0*6" or "#2"; null for other text.
static std::optional<int64_t> valueOfTerm(StringRef term, ArrayRef<int64_t> indices) {
  uint32_t number = 0, factor = 1;
  if (term.consume_front("#"))
    return term.getAsInteger(10, number) ? std::nullopt : std::optional<int64_t>(number);
  auto [list, times] = term.split('*');
  bool isBad = list.getAsInteger(10, number) || number >= indices.size() ||
               (term.contains('*') && times.getAsInteger(10, factor));
  return isBad ? std::nullopt : std::optional<int64_t>(indices[number] * factor);
}

static std::optional<int64_t> valueOfPlaceholder(StringRef placeholder, ArrayRef<int64_t> indices) {
  int64_t sum = 0;
  for (StringRef term : llvm::split(placeholder, '+')) {
    std::optional<int64_t> value = valueOfTerm(term, indices);
    if (!value)
      return std::nullopt;
    sum += *value;
  }
  return sum;
}

std::string checkpointNameAt(StringRef name, ArrayRef<int64_t> indices) {
  std::string result;
  while (!name.empty()) {
    size_t end = name.front() == '{' ? name.find('}') : StringRef::npos;
    std::optional<int64_t> value =
        end == StringRef::npos ? std::nullopt : valueOfPlaceholder(name.slice(1, end), indices);
    result += value ? std::to_string(*value) : name.take_front().str();
    name = name.drop_front(value ? end + 1 : 1);
  }
  return result;
}

} // namespace attnc::model
