//===- MeasureMachine.h - measurement of the cost model's machine parameters --------------------------------------===//
#pragma once

#include "attn/abi.h"
#include "compiler/Predict/Machine.h"

namespace attnc::machine {

/// Measures this machine in about two seconds. Each rate is the best of several slices of a few milliseconds of
/// processor time. The costs of launches are those of `executor`.
Machine measure(const attn_executor *executor);

} // namespace attnc::machine
