//===- HalideEmitter.h - emitter that compiles kernels with Halide ------------------------------------------------===//
//
// The emitter "halide", for processors:
//
//   Read/      reads a kernel as a pipeline of Halide stages, plain data (Stage.h)
//   Schedule/  inserts stages that copy operands to new layouts, and chooses a tile for each stage
//   Compile/   compiles a stage to bitcode by Halide; no other folder includes Halide.h
//   Emit/      imports the bitcode as a function of the code module, which a kernel phase calls
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"

namespace attnc {

/// The kernels that the emitter supports.
enum class HalideScope {
  All,    ///< all kernels that Halide can compile
  ByRule, ///< sums over windows that are fast as they are (WindowSum.h), and requested kernels
  Asked,  ///< kernels for which a strategy or a schedule requests it
};

std::unique_ptr<Emitter> createHalideEmitter(HalideScope scope = HalideScope::All);

} // namespace attnc
