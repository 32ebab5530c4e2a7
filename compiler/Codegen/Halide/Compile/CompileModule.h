//===- CompileModule.h - compilation of Halide modules to bitcode -------------------------------------------------===//
//
// Used by Bitcode.cpp. This header includes Halide.h, so only the folder Compile includes it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Compile/Bitcode.h"
#include <Halide.h>
#include <functional>

namespace attnc::halide {

/// The Halide target of machine.target, without runtime, assertions and bounds queries, with large buffers and strict
/// floats. The first call removes Halide's environment variables (HL_...) from the process, because they would change
/// the code, and sets HL_LLVM_ARGS.
Halide::Target targetOf(const Machine &machine);

/// Compiles the module that make(target) returns to bitcode; `symbol` is the name of its function. `calls` is bitcode
/// that declares the functions that the module calls (declareCalls), or empty. If Halide or the temporary file fails,
/// Bitcode::error of the result has the message.
Bitcode compileModule(const Machine &machine, const std::vector<uint8_t> &calls, const std::string &symbol,
                      const std::function<Halide::Module(const Halide::Target &)> &make);

} // namespace attnc::halide
