//===- EntryContext.h - derivations of the entry point that is being checked --------------------------------------===//
#pragma once

#include "frontends/attn/Check/Value.h"

namespace attnc::check {

/// The derivation (Entries/Derivation.h) of the entry point that is being checked. The check of a function depends on
/// it: for example, `training` is true in a training step, and an operation without a derivative is an error if
/// gradients are computed. Exports and Optimizers set the members.
struct EntryContext {
  bool isTraining = false;            ///< `minimize` derives a training step from it
  std::optional<Value> minimizedOver; ///< the value of `over:` of the last `minimize`; null: all parameters are trained
  bool isDifferentiated = false;      ///< `minimize` or `gradient` computes its gradients
  bool isPositional = false;          ///< `incremental` derives its computation position by position
  bool returnsWeights = false;        ///< `attention` derives an entry point that returns its attention weights
  /// The parameter whose optimizer step is being checked; null in functions of the model.
  const typed::Parameter *steppedParameter = nullptr;
};

/// True if `minimize` trains the parameter, or updates the state: `minimizedOver` is the parameter or state, a module
/// or list of modules that contains it, a tuple with one of these, or null.
bool isMinimizedOver(const EntryContext &context, const typed::Parameter &parameter);

/// The counters of the loops around a statement, outermost first.
using LoopNest = std::vector<const typed::LoopCounter *>;

} // namespace attnc::check
