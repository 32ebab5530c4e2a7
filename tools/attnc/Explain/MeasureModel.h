//===- MeasureModel.h - measurement of the times of an explained model -------------------------------------------===//
#pragma once

#include "tools/attnc/Call/Measurement.h"
#include "tools/attnc/ExplainedModel/ExplainedModel.h"
#include "tools/attnc/Options/SourceOptions.h"

namespace attnc {

/// Calls each entry point that has sizes, with random weights and inputs, on as many threads as its sizes have workers,
/// and adds the times of its kernels to the explained model. If an entry point cannot be called, its `unmeasured` has
/// the reason. Returns the exit code of the compile.
ExitCode measureModel(ExplainedModel &model, const SourceOptions &source, Repetitions repetitions);

} // namespace attnc
