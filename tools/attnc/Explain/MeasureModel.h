//===- MeasureModel.h - the measured times of an explained model -------------------------------------------------===//
#pragma once

#include "tools/attnc/Call/Measurement.h"
#include "tools/attnc/ExplainedModel/ExplainedModel.h"
#include "tools/attnc/Options/SourceOptions.h"

namespace attnc {

/// Calls each entry point that has sizes with weights and inputs drawn from a seed, on as many threads as its sizes
/// have workers, and adds to the explained model what its kernels take. An entry point that can't be called says why.
/// Answers how the compile to an object ended.
ExitCode measureModel(ExplainedModel &model, const SourceOptions &source, Repetitions repetitions);

} // namespace attnc
