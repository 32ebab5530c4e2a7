//===- CompileModule.h - compilation of Halide modules to bitcode -------------------------------------------------===//
//
// Includes Halide.h, so only this folder includes it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Compile/Bitcode.h"
#include <Halide.h>
#include <functional>

namespace attnc::halide {

/// Returns the Halide target of a machine, without runtime, assertions or relaxed floats. Clears Halide's environment
/// variables first.
Halide::Target targetOf(const Machine &machine);

/// Compiles the module that `make` creates, with the function `symbol`, to bitcode; on failure the result has Halide's
/// message. `calls` declares the functions that the module calls (Declarations.h).
Bitcode compileModule(const Machine &machine, const std::vector<uint8_t> &calls, const std::string &symbol,
                      const std::function<Halide::Module(const Halide::Target &)> &make);

} // namespace attnc::halide
