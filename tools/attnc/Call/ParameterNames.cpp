#include "tools/attnc/Call/ParameterNames.h"
#include "attn/weights.h"
#include "runtime/files/parts.h"
#include <functional>
#include <numeric>

namespace attnc {

int64_t entryCount(const attn_parameter_info &info) {
  return std::accumulate(info.counts, info.counts + info.list_rank, int64_t(1), std::multiplies<int64_t>());
}

std::string parameterName(const attn_parameter_info &info, int64_t entry) {
  std::string name(attn_parameter_name(&info, entry, nullptr, 0), '\0');
  attn_parameter_name(&info, entry, name.data(), name.size() + 1);
  return name;
}

std::vector<std::string> tensorNames(const attn_parameter_info &info, int64_t entry) {
  std::vector<std::string> names;
  for (int64_t part = 0; part < attn_part_count(&info); ++part) {
    std::string name(parameterName(info, entry).size() + ATTN_PART_DIGITS, '\0');
    attn_part_name(&info, entry, part, name.data(), name.size());
    names.emplace_back(name.c_str());
  }
  return names;
}

llvm::ArrayRef<int64_t> tensorShape(const attn_parameter_info &info) {
  return llvm::ArrayRef(info.shape, size_t(info.rank)).drop_front(attn_has_parts(&info) ? 1 : 0);
}

} // namespace attnc
