//===- Import.h - the phases parse, check and import ------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// Reads the input into the job's module: a model (.attn) by the phases parse, check and import, a module (.mlir) by
/// MLIR's parser. Returns false if the compile ends here.
bool import(Job &job);

} // namespace attnc
