#include "tools/attnc/Call/ParameterNames.h"
#include "attn/weights.h"
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

} // namespace attnc
