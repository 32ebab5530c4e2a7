//===- Import.h - the phases parse, check and import --------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// Reads the input file into the job's module: a model (.attn) by the phases parse, check and import, a module (.mlir)
/// by MLIR's parser and the checks of CheckModule.h. Also records the files that were read, in Compilation::inputs.
/// Returns false if the compile ends here: after an error, which is printed, or after a dump of parse or check.
bool import(Job &job);

} // namespace attnc
