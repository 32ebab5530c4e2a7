//===- Declarations.h - what a stage calls, as functions that Halide finds --------------------------------------===//
//
// Halide calls a function that it does not know once a lane, unless a module that is linked with its own has one of
// that name for vectors:
//
//   f32 attnc.operation3(f32)     <16 x f32> attnc.operation3x16(<16 x f32>)
//
// That module is written here, as bitcode: Halide's LLVM is older than ours and can't read what ours writes, so that
// it is put together from the few records that have not changed. Its functions never return, and may be replaced when
// linked: Halide can't conclude anything from them. What they are is in Operations.h.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Stage.h"
#include <cstdint>
#include <string>
#include <vector>

namespace attnc::halide {

/// What stands before the number of an operation in the name of its function.
inline constexpr char operationPrefix[] = "attnc.operation";
/// The function that checks a subscript.
inline constexpr char checkName[] = "attnc.checked";

/// The function that Halide is to call for a Call, or to check a subscript.
std::string functionOf(const Node &node);

/// Bitcode with a function for vectors of 2, 4, ... `lanes` elements for each operation that the stage calls; empty
/// where it calls none. Truth values are numbers of 32 bits.
std::vector<uint8_t> declareCalls(const Stage &stage, int64_t lanes);

} // namespace attnc::halide
