//===- Bitcode.h - compilation of a Halide stage to bitcode -------------------------------------------------------===//
//
// Compiles a stage (Stage.h) with its schedule (StageSchedule.h) by Halide to LLVM bitcode with one function:
//
//   i32 symbol(halide_buffer_t *operand..., i32 argument..., i32 span..., halide_buffer_t *result)
//
// The function computes one chunk of the stage's result. `operand` are the buffers of the stage, and `argument` the
// sizes that all stages of the kernel receive. `span` are the numbers that locate the chunk, for each dimension of the
// result, innermost first: for a span of kind One the first index, for a span of kind Block the first index and the
// number of tiles, and none for a whole dimension. The record of the result describes the chunk alone and points to its
// first element.
//
// Halide compiles without a runtime, without assertions and with strict floats: NaN and infinity have the model's
// semantics, and sums have one order. The function allocates at most one tile, of a fold's values, on the stack; LLVM
// promotes it to registers.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Schedule/StageSchedule.h"
#include <vector>

namespace attnc::halide {

/// The result of a compilation: either `bytes` or `error` is empty.
struct Bitcode {
  std::vector<char> bytes; ///< an LLVM module in the bitcode format
  std::string error;       ///< the message, if the compilation failed
  std::string symbol;      ///< name of the function in the module
};

/// Compiles a stage to a function called `symbol`. `arguments` is the number of sizes that the function receives, at
/// least that of the stage: all stages of a kernel receive the same. If Halide rejects the schedule or the temporary
/// file fails (CompileModule.h), the result has an error. Calls loadHalide().
Bitcode compileStage(const Stage &stage, const Schedule &schedule, const Machine &machine, unsigned arguments,
                     const std::string &symbol);

/// Loads the library that contains Halide, at the first call. The library remains loaded, and has changed the
/// environment (CompileModule.h), so the first call must not be on a background thread. If loading fails, the program
/// ends with an error.
void loadHalide();

/// The function that the library exports as `attncCompileStage`: compileStage() after loading.
extern "C" void attncCompileStage(const Stage &stage, const Schedule &schedule, const Machine &machine,
                                  unsigned arguments, const std::string &symbol, Bitcode &result);

} // namespace attnc::halide
