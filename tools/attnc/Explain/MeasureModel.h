//===- MeasureModel.h - measurement of the times of an explained model --------------------------------------------===//
#pragma once

#include "tools/attnc/Call/Measurement.h"
#include "tools/attnc/ExplainedModel/ExplainedModel.h"
#include "tools/attnc/Options/SourceOptions.h"

namespace attnc {

/// Compiles the model of `source`, which must be for a processor, and calls each entry point that has numbers (an empty
/// `problem`), with random weights and inputs, at the entry point's sizes and on `workers` threads. Sets
/// `measuredSeconds` of the entry point and `measured` of its totals. If an entry point cannot be called, sets its
/// `unmeasured` to the reason. Returns the exit code of the compile and the link, which print their errors; if one
/// fails, nothing is measured.
ExitCode measureModel(ExplainedModel &model, const SourceOptions &source, Repetitions repetitions);

} // namespace attnc
