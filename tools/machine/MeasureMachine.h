//===- MeasureMachine.h - measurement of the cost model's machine parameters --------------------------------------===//
#pragma once

#include "attn/abi.h"
#include "compiler/Predict/Machine.h"

namespace attnc::machine {

/// Measures all parameters of the cost model for this machine, in about two seconds. Needs a processor with AVX2 and
/// FMA. Each rate is the best of several short slices, in processor time of the calling thread. `cores` is the number
/// of workers of `executor`, and the costs of launches and chunks are those of its parallel_for.
Machine measure(const attn_executor *executor);

} // namespace attnc::machine
