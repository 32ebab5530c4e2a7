#include "compiler/Reference/StorageBound.h"
#include "compiler/Reference/Tolerance.h"
#include <cmath>

namespace attnc::reference {

static void move(Array &array, double size, uint32_t &state) {
  if (array.element != Element::F32)
    return;
  for (double &value : array.values) {
    state = state * 1664525u + 1013904223u; // linear congruential generator, whose highest bit is the sign
    value *= 1 + (state >> 31 ? size : -size);
  }
}

Interpretation Interpretation::moved(double size, uint32_t draw) const {
  Interpretation result = *this;
  uint32_t state = draw * 2654435761u + 1;
  for (Array &input : result.inputs)
    move(input, size, state);
  for (auto &[name, parameter] : result.parameters)
    move(parameter, size, state);
  return result;
}

llvm::Expected<std::vector<double>> storageBounds(const Interpretation &asWritten, llvm::ArrayRef<Array> exact,
                                                  double roundoff) {
  constexpr uint32_t draws = 2;
  constexpr double factor = 8;
  std::vector<double> bounds;
  for (const Array &result : exact)
    bounds.push_back(roundoff * largestMagnitude(result.values, 0));
  std::vector<double> responses(exact.size());
  for (uint32_t draw = 0; draw < draws; ++draw) {
    auto moved = asWritten.moved(roundoff, draw).run();
    if (!moved)
      return moved.takeError();
    for (auto [number, result] : llvm::enumerate(*moved))
      for (auto [value, exactly] : llvm::zip(result.values, exact[number].values))
        if (double difference = std::fabs(value - exactly); std::isfinite(difference))
          responses[number] = std::max(responses[number], difference);
  }
  for (auto [bound, response] : llvm::zip(bounds, responses))
    bound = factor * (bound + response);
  return bounds;
}

llvm::Expected<std::vector<size_t>> changesByStorage(const Interpretation &asWritten, llvm::ArrayRef<Array> exact,
                                                     double roundoff) {
  constexpr uint32_t draws = 8;
  std::vector<size_t> most(exact.size());
  for (uint32_t draw = 0; draw < draws; ++draw) {
    auto moved = asWritten.moved(8 * roundoff, draw).run();
    if (!moved)
      return moved.takeError();
    for (auto [number, result] : llvm::enumerate(*moved)) {
      size_t changes = 0;
      for (auto [value, exactly] : llvm::zip(result.values, exact[number].values))
        changes += value != exactly;
      most[number] = std::max(most[number], changes);
    }
  }
  return most;
}

} // namespace attnc::reference
