#include "tools/attnc/Study/AttentionRows.h"
#include "tools/attnc/Call/Runner.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attnc {

/// The size of a dimension if it is a number; otherwise 0.
static int64_t fixedSize(const attn_size_info &size) { return constantSize(size).value_or(0); }

/// The name of an outer index; empty if the model has none.
static std::string indexName(const StudiedAttention &attention, size_t outer) {
  bool isKnown = attention.name && outer < attention.name->indices.size();
  return isKnown ? attention.name->indices[outer] : "";
}

HeadsOfWeights::HeadsOfWeights(const attn_tensor_info &info, StudiedAttention said, int64_t number,
                               llvm::ArrayRef<std::string> named)
    : name(info.name), attention(std::move(said)), rank(info.rank), number(number) {
  size_t loops = attention.loopsAreLists.size();
  for (size_t d = 0; int64_t(d) + attention.keyRank < rank; ++d) {
    std::string index = d < loops ? "" : indexName(attention, d - loops);
    bool isLast = int64_t(d) + attention.keyRank + 1 == rank;
    bool isOfHeads = named.empty() || d < loops ? !isLast || d < loops : llvm::is_contained(named, index);
    heads.push_back(isOfHeads ? fixedSize(info.shape[d]) : 0);
    if (isOfHeads && !named.empty() && d >= loops && heads.back() == 0)
      openIndex = index;
  }
}

int64_t HeadsOfWeights::count() const {
  int64_t count = 1;
  for (int64_t size : heads)
    count *= std::max<int64_t>(size, 1);
  return count;
}

/// `indices` has an index for each dimension before the keys; -1 for dimensions that do not count heads.
std::string HeadsOfWeights::spelled(llvm::ArrayRef<int64_t> indices) const {
  std::string text = attention.name->module, rest;
  size_t list = 0;
  for (auto [d, index] : llvm::enumerate(indices)) {
    bool isLoop = d < attention.loopsAreLists.size(), isList = isLoop && attention.loopsAreLists[d];
    std::string hole = fmt::format("{{{}}}", list);
    list += isList;
    if (isList && text.find(hole) != std::string::npos) {
      text.replace(text.find(hole), hole.size(), std::to_string(index));
      continue;
    }
    if (index < 0 || heads[d] < 2)
      continue;
    std::string called = isLoop ? "step" : indexName(attention, d - attention.loopsAreLists.size());
    rest += fmt::format(" {}={}", called.empty() ? "index" : called, index);
  }
  if (text.empty())
    return name + rest;
  return number ? fmt::format("{}#{}{}", text, number + 1, rest) : text + rest;
}

std::string HeadsOfWeights::nameOf(int64_t head) const {
  std::vector<int64_t> indices(heads.size(), -1), shown;
  for (size_t d = heads.size(); d-- > 0;)
    if (heads[d] > 0) {
      indices[d] = head % heads[d];
      head /= heads[d];
    }
  if (attention.name)
    return spelled(indices);
  for (auto [index, size] : llvm::zip(indices, heads))
    if (size > 1)
      shown.push_back(index);
  return shown.empty() ? name : fmt::format("{}[{}]", name, fmt::join(shown, ", "));
}

int64_t HeadsOfWeights::headOf(int64_t row, llvm::ArrayRef<int64_t> shape) const {
  int64_t head = 0, factor = 1;
  for (int64_t d = int64_t(heads.size()) - 1; d >= 0; row /= shape[d], --d)
    if (heads[d] > 1) {
      head += row % shape[d] * factor;
      factor *= heads[d];
    }
  return head;
}

int64_t HeadsOfWeights::keysOf(llvm::ArrayRef<int64_t> shape) const {
  int64_t keys = 1;
  for (int64_t size : shape.take_back(attention.keyRank))
    keys *= size;
  return keys;
}

} // namespace attnc
