#include "tools/attnc/Tune/ResultCheck.h"
#include <cmath>
#include <fmt/format.h>

namespace attnc {

static constexpr double mostApart = 1e-3, mostOthers = 0.01;

static llvm::ArrayRef<HostTensor> resultsOf(const Invocation &call) {
  return llvm::ArrayRef(call.tensors).drop_front(call.entry->input_count);
}

void ResultCheck::remember(const Invocation &call) { results.assign(resultsOf(call).begin(), resultsOf(call).end()); }

std::string differenceOf(const std::string &name, const HostTensor &expected, const HostTensor &found) {
  bool isReal = expected.dtype == ATTN_F32;
  double largest = 1, apart = 0;
  int64_t others = 0;
  for (int64_t index = 0; index < expected.count(); ++index) {
    double a = expected.at(index), b = found.at(index);
    bool areSame = a == b || (std::isnan(a) && std::isnan(b));
    others += !areSame;
    if (std::isfinite(a))
      largest = std::max(largest, std::abs(a));
    if (!areSame)
      apart = std::isfinite(a) && std::isfinite(b) ? std::max(apart, std::abs(a - b)) : HUGE_VAL;
  }
  if (isReal && !(apart <= mostApart * largest))
    return fmt::format("result `{}` lies {:.2g} from the default's, of {:.2g} at most", name, apart, largest);
  if (!isReal && double(others) > std::max(1.0, mostOthers * double(expected.count())))
    return fmt::format("result `{}` has {} of {} elements other than the default's", name, others, expected.count());
  return "";
}

std::string ResultCheck::problemOf(const Invocation &call) const {
  llvm::ArrayRef<HostTensor> found = resultsOf(call);
  for (size_t number = 0; number < results.size(); ++number) {
    const attn_tensor_info &info = call.entry->tensors[call.entry->input_count + number];
    if (std::string problem = differenceOf(info.name, results[number], found[number]); !problem.empty())
      return problem;
  }
  return "";
}

} // namespace attnc
