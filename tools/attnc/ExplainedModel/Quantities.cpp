#include "tools/attnc/ExplainedModel/Quantities.h"
#include <fmt/format.h>
#include <utility>

namespace attnc {

std::string scaled(double value) {
  static constexpr std::pair<double, const char *> prefixes[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  for (auto [unit, prefix] : prefixes)
    if (value >= 0.9995 * unit) // rounds to at least 1 of the unit
      return fmt::format("{:.3g}{}", value / unit, prefix);
  return fmt::format("{:.3g}", value);
}

std::string milliseconds(double seconds) { return fmt::format("{:.4f}", 1e3 * seconds); }

} // namespace attnc
