//===- Import.h - from a file to a module -----------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// Reads the input into the job's module, through the phases parse, check and import for a model, by MLIR's parser for
/// a module. Answers false where the compile ends here.
bool import(Job &job);

} // namespace attnc
