#include "tests/e2e/Subject.h"

namespace attnc::e2e {

static uint64_t hashOf(const std::string &text) { // FNV-1a
  uint64_t hash = 14695981039346656037u;
  for (unsigned char byte : text)
    hash = (hash ^ byte) * 1099511628211u;
  return hash;
}

Random::Random(const std::string &seed) : bits(hashOf(seed)) {}

Filler uniform(double low, double high) {
  return [=](Random &random, int64_t, const Dimensions &) { return random.uniform(low, high); };
}

Filler constant(double value) {
  return [=](Random &, int64_t, const Dimensions &) { return value; };
}

Filler below(int64_t end) {
  return [=](Random &random, int64_t, const Dimensions &) { return static_cast<double>(random.below(end)); };
}

Filler upTo(const std::string &dimension) {
  return [=](Random &random, int64_t element, const Dimensions &dimensions) {
    int64_t size = dimensions.at(dimension);
    return static_cast<double>(element == 0 ? 0 : element == 1 ? size : random.below(size + 1));
  };
}

Filler runsOf(int64_t length) {
  return [=](Random &, int64_t element, const Dimensions &) { return static_cast<double>(element / length); };
}

Filler except(Filler filler, int64_t place, double value) {
  return [=](Random &random, int64_t element, const Dimensions &dimensions) {
    double drawn = filler(random, element, dimensions);
    return element == place ? value : drawn;
  };
}

} // namespace attnc::e2e
