//===- MeasureLevels.h - caches and memory, as one core finds them ------------------------------------------------===//
#pragma once

#include "attn/threads.h"
#include "compiler/Predict/Machine.h"

namespace attnc::machine {

/// L1, L2, L3 and memory. Of caches that a core shares with others, which may be of other guests of the machine,
/// `bytes` are those that it finds there, by measuring, and not those that the processor says; `keeps` is for how many
/// seconds.
std::vector<MemoryLevel> measureLevels(const attn_executor *executor, double &keeps);

} // namespace attnc::machine
