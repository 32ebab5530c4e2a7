//===- MeasureMachine.h - the numbers that predictions are made of, measured --------------------------------------===//
#pragma once

#include "attn/abi.h"
#include "compiler/Predict/Machine.h"

namespace attnc::machine {

/// Measures this machine, in about two seconds: each rate as the best of several slices of a few milliseconds of
/// processor time. `executor` is what kernels are launched with.
Machine measure(const attn_executor *executor);

} // namespace attnc::machine
