//===- MeasureModel.h - the measured times of an explained model -------------------------------------------------===//
#pragma once

#include "tools/attnc/Explain/ExplainedModel.h"
#include "tools/attnc/Measurement.h"
#include "tools/attnc/SourceOptions.h"

namespace attnc {

/// Calls each entry point that has sizes with weights and inputs drawn from a seed, on as many threads as there are
/// workers, and adds to the explained model what its kernels take. An entry point that can't be called says why.
void measureModel(ExplainedModel &model, const Compilation &made, const SourceOptions &source, Repetitions repetitions);

} // namespace attnc
