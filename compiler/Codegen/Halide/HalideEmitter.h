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

/// Among the kernels that have stages and schedules (readKernel, chooseSchedule) and integers of 32 bits (largestSize),
/// those for which Emitter::supports() returns yes; Emitter::emit() fails, with a remark, if Halide or the import of
/// its code then fails. A kernel requests the emitter by `attn.emitter` (RequestedEmitter.h) or by the key `halide` of
/// its schedule.
enum class HalideScope {
  All,    ///< all of them
  ByRule, ///< fast sums over windows (isFastWindowSum), and kernels that request the emitter
  Asked,  ///< only kernels that request the emitter
};

/// createEmitters() (compiler/Emitters) creates it, in the scope that --emitter selects.
std::unique_ptr<Emitter> createHalideEmitter(HalideScope scope = HalideScope::All);

} // namespace attnc
