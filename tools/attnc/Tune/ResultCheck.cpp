#include "tools/attnc/Tune/ResultCheck.h"
#include "compiler/ElementTypes/ElementType.h"
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace attnc {

static constexpr double mostOthers = 0.01;
/// A unit in the last place, in f32, of the largest number among all tensors.
static constexpr double lastPlace = 0x1p-23;

static bool isReal(attn_dtype dtype) { return dtype == ATTN_F32 || narrowFormat(dtype); }

/// The allowed share for elements of a type: at least a few units in the last place.
static double shareOf(attn_dtype dtype) {
  const llvm::fltSemantics *narrow = narrowFormat(dtype);
  return narrow ? std::max(4 * unitRoundoff(*narrow), 0x1p-8) : Allowance().share;
}

static double largestOf(const HostTensor &tensor) {
  double largest = 0;
  for (int64_t index = 0; index < tensor.count(); ++index)
    if (double value = tensor.at(index); std::isfinite(value))
      largest = std::max(largest, std::abs(value));
  return largest;
}

std::string differenceOf(const std::string &name, const HostTensor &expected, const HostTensor &found,
                         Allowance allowance) {
  double apart = 0;
  int64_t others = 0;
  for (int64_t index = 0; index < expected.count(); ++index) {
    double a = expected.at(index), b = found.at(index);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    ++others;
    apart = std::isfinite(a) && std::isfinite(b) ? std::max(apart, std::abs(a - b)) : HUGE_VAL;
  }
  double largest = largestOf(expected);
  if (isReal(expected.dtype) && !(apart <= std::max(allowance.share * largest, allowance.least)))
    return fmt::format("`{}` differs by {:.2g} from the default's, whose largest value is {:.2g}", name, apart,
                       largest);
  if (!isReal(expected.dtype) && double(others) > mostOthers * double(expected.count()))
    return fmt::format("`{}` has {} of {} elements that differ from the default's", name, others, expected.count());
  return "";
}

std::vector<ResultCheck::Left> ResultCheck::effectsOf(const Invocation &call) {
  std::vector<Left> left;
  auto add = [&](const std::string &name, HostTensor tensor, double share) {
    left.push_back({name, std::move(tensor), {share, 0}});
  };
  const attn_entry_info &entry = *call.entry;
  for (size_t number = size_t(entry.input_count - entry.state_count); number < call.tensors.size(); ++number)
    add(entry.tensors[number].name, call.tensors[number], shareOf(call.tensors[number].dtype));
  if (entry.updates) {
    std::vector<ParameterNow> parameters = call.parameters();
    // The number of completed steps is an integer, and states of optimizers are real.
    auto isState = [](const ParameterNow &each) { return each.info.state != 0 && isReal(attn_dtype(each.info.dtype)); };
    bool hasStates = llvm::any_of(parameters, isState);
    constexpr double shareOfWeights = 1e-5; // small, because a step changes weights little
    for (const ParameterNow &each : parameters) {
      if (hasStates && !isState(each))
        continue;
      const attn_parameter_info &info = each.info;
      HostTensor tensor(attn_dtype(info.dtype), std::vector<int64_t>(info.shape, info.shape + info.rank));
      std::memcpy(tensor.bytes.data(), each.values, tensor.bytes.size());
      add(each.name, std::move(tensor), hasStates ? Allowance().share : shareOfWeights);
    }
  }
  double largest = 0;
  for (const Left &each : left)
    if (isReal(each.tensor.dtype))
      largest = std::max(largest, largestOf(each.tensor));
  for (Left &each : left)
    each.allowance.least = lastPlace * largest;
  return left;
}

void ResultCheck::remember(const Invocation &call) { all = effectsOf(call); }

std::string ResultCheck::problemOf(const Invocation &call) const {
  std::vector<Left> found = effectsOf(call);
  for (size_t number = 0; number < all.size(); ++number) {
    const auto &[name, tensor, allowance] = all[number];
    if (std::string problem = differenceOf(name, tensor, found[number].tensor, allowance); !problem.empty())
      return problem;
  }
  return "";
}

} // namespace attnc
