//===- CompileOptions.h - what compile, describe and explain share ------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Compile.h"
#include <CLI/CLI.hpp>

namespace attnc {

/// Adds the model file, --target, --set, --prefix, --schedule and --require-fused.
void addCompileOptions(CLI::App &command, CompileOptions &options);

} // namespace attnc
