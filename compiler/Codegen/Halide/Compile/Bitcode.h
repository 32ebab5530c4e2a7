//===- Bitcode.h - the one place that knows Halide ------------------------------------------------------------===//
//
// Compiles a stage under its schedule to LLVM bitcode of one function,
//
//   i32 symbol(halide_buffer_t *operand..., i32 argument..., i32 span..., halide_buffer_t *result)
//
// which computes one chunk: of each dimension of the result `span` has the first index (One), or that and the number of
// tiles (Block), nothing where it is whole; innermost dimensions come first. The record of the result is of the chunk
// alone, and points to its first element.
//
// Halide gets no runtime, no assertions and no freedom with floats: NaN and infinity are what they are in the model,
// and sums have one order. The function allocates nothing, for all that it keeps is one tile, on the stack, which LLVM
// takes into registers.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Schedule/StageSchedule.h"
#include <vector>

namespace attnc::halide {

struct Bitcode {
  std::vector<char> bytes;
  std::string error;  ///< what Halide says; empty where there are bytes
  std::string symbol; ///< what its function is called
};

/// `arguments`: how many sizes the function gets.
Bitcode compileStage(const Stage &stage, const Schedule &schedule, const Machine &machine, unsigned arguments,
                     const std::string &symbol);

} // namespace attnc::halide
