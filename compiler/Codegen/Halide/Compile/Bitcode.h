//===- Bitcode.h - compilation of a Halide stage to bitcode -------------------------------------------------------===//
//
// Compiles a stage with its schedule to LLVM bitcode of one function,
//
//   i32 symbol(halide_buffer_t *operand..., i32 argument..., i32 span..., halide_buffer_t *result)
//
// which computes one chunk. For each dimension of the result, innermost first, `span` is the first index (One), or the
// first index and the number of tiles (Block); a whole dimension has no `span`. The buffer of the result describes the
// chunk alone and points to its first element.
//
// Halide compiles without a runtime, without assertions and with strict floats: NaN and infinity have the model's
// semantics, and sums have one order. The function allocates only one tile, on the stack, which LLVM promotes to
// registers.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Schedule/StageSchedule.h"
#include <vector>

namespace attnc::halide {

struct Bitcode {
  std::vector<char> bytes;
  std::string error;  ///< Halide's message; empty if `bytes` is not
  std::string symbol; ///< name of the function
};

/// Compiles a stage. `arguments` is the number of sizes that the function receives.
Bitcode compileStage(const Stage &stage, const Schedule &schedule, const Machine &machine, unsigned arguments,
                     const std::string &symbol);

} // namespace attnc::halide
