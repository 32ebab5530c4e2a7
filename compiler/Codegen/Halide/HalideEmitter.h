//===- HalideEmitter.h - the emitter that compiles by Halide ----------------------------------------------------===//
//
// One Emitter, "halide", for processors:
//
//   Read/      a kernel becomes stages, plain data (Stage.h)
//   Schedule/  operands are copied to new layouts by stages of their own, and each stage gets a tile
//   Compile/   Halide compiles a stage to bitcode; no other folder includes Halide.h
//   Emit/      the bitcode becomes a function of the code module, which a kernel phase calls
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"

namespace attnc {

/// Which kernels it supports.
enum class HalideScope {
  All,    ///< those that Halide can compile
  ByRule, ///< sums over windows that are fast as they stand (WindowSum.h), and those for which it is asked
  Asked,  ///< those for which it is asked
};

std::unique_ptr<Emitter> createHalideEmitter(HalideScope scope = HalideScope::All);

} // namespace attnc
