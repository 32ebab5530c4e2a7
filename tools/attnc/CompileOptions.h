//===- CompileOptions.h - what compile and describe have in common ----------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Compile.h"
#include <CLI/CLI.hpp>

namespace attnc {

/// Adds the model file, --target, --set, --prefix and --require-fused.
void addCompileOptions(CLI::App &command, CompileOptions &options);

} // namespace attnc
