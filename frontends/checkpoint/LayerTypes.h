//===- LayerTypes.h - layers of two types in config.json ----------------------------------------------------------===//
#pragma once

#include "frontends/checkpoint/Config.h"

namespace attnc {

/// The layer of each period that attends to all positions; the others have another type.
enum class FullLayer { First, Last };

/// The number of layers of a period, by `layer_types`, or `byDefault` if the key is missing; more than `layers` if no
/// period is complete. `other` is the type of the layers that do not attend to all positions.
int64_t readPeriod(Config &config, int64_t layers, int64_t byDefault, FullLayer full,
                   llvm::StringRef other = "sliding_attention");

} // namespace attnc
