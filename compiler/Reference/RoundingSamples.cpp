#include "compiler/Reference/RoundingSamples.h"
#include "compiler/Reference/Tolerance.h"
#include "llvm/ADT/STLExtras.h"

namespace attnc::reference {

double RoundingSamples::movement(size_t place) const {
  double most = 0;
  for (const Array &sample : samples)
    if (double by = std::fabs(sample.values[place] - exact->values[place]); std::isfinite(by))
      most = std::max(most, by);
  return most;
}

bool RoundingSamples::explains(size_t place, double found, double limit, double scale) const {
  double expected = exact->values[place];
  if (exact->element == Element::F32)
    return agree(found, expected, limit + scale * movement(place));
  auto gives = [&](const Array &sample) { return sample.values[place] == found; };
  return found == expected || (scale > 0 && llvm::any_of(samples, gives));
}

std::vector<Rounding> sampledRoundings(uint32_t draws) {
  std::vector<Rounding> all = {Rounding::ToF32};
  for (uint32_t draw = 0; draw < draws; ++draw)
    all.emplace_back(Rounding::Loosely, draw);
  return all;
}

} // namespace attnc::reference
