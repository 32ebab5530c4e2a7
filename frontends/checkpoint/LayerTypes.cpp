#include "frontends/checkpoint/LayerTypes.h"
#include <algorithm>

namespace attnc {

int64_t readPeriod(Config &config, int64_t layers, int64_t byDefault, FullLayer full, llvm::StringRef other) {
  std::vector<std::string> types = config.texts("layer_types");
  if (types.empty())
    return byDefault;
  int64_t ahead = full == FullLayer::First ? 1 : 0; // layers in front of the first period that ends in a full layer
  auto begin = types.begin() + ahead;
  int64_t period = std::find(begin, types.end(), "full_attention") - begin + 1;
  bool isPeriodic = int64_t(types.size()) == layers;
  for (int64_t layer = 0; isPeriodic && layer < layers; ++layer)
    isPeriodic = types[layer] == ((layer + 1 - ahead) % period ? other : "full_attention");
  if (!isPeriodic)
    config.refuse("layer_types", "for each layer " + other.str() + ", or at the " +
                                     (full == FullLayer::First ? "start" : "end") + " of each period full_attention");
  return period;
}

} // namespace attnc
