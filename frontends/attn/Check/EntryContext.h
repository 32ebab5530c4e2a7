//===- EntryContext.h - derivation of the entry point that is being checked ---------------------------------------===//
#pragma once

#include "frontends/attn/Check/Value.h"

namespace attnc::check {

struct EntryContext {
  bool isTraining = false;                            ///< `minimize` derives a step of training from it
  std::optional<Value> minimizedOver;                 ///< the `over:` of the last `minimize`; none: all parameters
  bool isDifferentiated = false;                      ///< gradients of it are computed
  bool isPositional = false;                          ///< `incremental` derives computation position by position
  const typed::Parameter *steppedParameter = nullptr; ///< the parameter whose optimizer step is being checked
};

/// Is a parameter or state among those over which a loss is minimised?
bool isMinimizedOver(const EntryContext &context, const typed::Parameter &parameter);

/// Counters of the loops around a statement, outermost first.
using LoopNest = std::vector<const typed::LoopCounter *>;

} // namespace attnc::check
