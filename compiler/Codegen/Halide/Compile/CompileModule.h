//===- CompileModule.h - from Halide's modules to bitcode ---------------------------------------------------------===//
//
// What all that compiles by Halide has in common. It includes Halide.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Compile/Bitcode.h"
#include <Halide.h>
#include <functional>

namespace attnc::halide {

/// The target of a machine, without runtime, assertions or freedom with floats. Settles the environment first.
Halide::Target targetOf(const Machine &machine);

/// The bitcode of the module that `make` gives, whose function is `symbol`, with what it calls declared by `calls`
/// (Declarations.h), or what Halide says of it.
Bitcode compileModule(const Machine &machine, const std::vector<uint8_t> &calls, const std::string &symbol,
                      const std::function<Halide::Module(const Halide::Target &)> &make);

} // namespace attnc::halide
