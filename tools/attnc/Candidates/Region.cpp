#include "tools/attnc/Candidates/Region.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Schedule/Strategy.h"
#include "tools/attnc/Messages/Messages.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

using namespace llvm;

namespace attnc {

static Error notFound(const std::string &what, const std::string &problem, std::vector<std::string> known) {
  return createStringError(fmt::format("--region: {}{}", problem, whatThereIs(what, std::move(known))));
}

Error Region::find(const std::vector<CandidateKernel> &kernels, const std::string &entry) {
  if (isWhole() || std::exchange(isFound, true))
    return Error::success();
  bool isKind = parseKernelKind(what).has_value(), hasKernels = false;
  std::vector<std::string> names, kinds, places;
  for (const CandidateKernel &kernel : kernels) {
    names.push_back(kernel.name);
    kinds.push_back(kernel.kind);
    append_range(places, kernel.places);
    if (isKind ? kernel.kind != what : kernel.name != what)
      continue;
    hasKernels = true;
    std::vector<int64_t> both;
    std::ranges::set_union(ops, kernel.ops, std::back_inserter(both));
    ops = std::move(both);
  }
  if (isPlace(what)) {
    place = sys::path::filename(what).str();
    return is_contained(places, place)
               ? Error::success()
               : notFound(place, fmt::format("no kernel of '{}' computes an op at `{}`", entry, what), places);
  }
  if (hasKernels)
    return Error::success();
  return isKind ? notFound(what, fmt::format("entry point '{}' runs no {} kernel", entry, what), kinds)
                : notFound(what, fmt::format("entry point '{}' runs no kernel `{}`", entry, what), names);
}

void Region::keep(std::vector<CandidateKernel> &kernels) const {
  if (isWhole())
    return;
  erase_if(kernels, [&](CandidateKernel &kernel) {
    std::vector<int64_t> both;
    std::ranges::set_intersection(ops, kernel.ops, std::back_inserter(both));
    bool isPart = place.empty() ? !both.empty() : is_contained(kernel.places, place);
    bool isElsewhere = any_of(kernel.places, [&](const std::string &each) { return each != place; });
    kernel.reachesBeyond = place.empty() ? both.size() < kernel.ops.size() : isElsewhere;
    return !isPart;
  });
}

} // namespace attnc
