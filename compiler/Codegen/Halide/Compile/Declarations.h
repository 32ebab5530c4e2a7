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
/// The function that gives its first operand.
inline constexpr char repeatName[] = "attnc.repeated";
/// Functions between f32 and what bf16 and f16 are in memory, as the lower half of an i32.
inline constexpr char widenPrefix[] = "attnc.widened.", narrowPrefix[] = "attnc.narrowed.";
/// All of these begin so.
inline constexpr char callPrefix[] = "attnc.";

/// The function that Halide is to call for a Call, a Checked or a Repeated.
std::string functionOf(const Node &node);
/// "bf16" or "f16".
std::string nameOf(Element narrow);

/// Bitcode with a function for vectors of 2, 4, ... `lanes` elements for each operation that the stage calls, and for
/// what it stores in 16 bits; empty where there is none. Truth values are numbers of 32 bits.
std::vector<uint8_t> declareCalls(const Stage &stage, int64_t lanes);

} // namespace attnc::halide
