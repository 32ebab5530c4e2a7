//===- Declarations.h - declarations of opaque calls for Halide ---------------------------------------------------===//
//
// Halide calls an unknown function once for each lane, unless a module that is linked with Halide's has a function of
// that name for vectors:
//
//   f32 attnc.operation3(f32)     <16 x f32> attnc.operation3x16(<16 x f32>)
//
// declareCalls writes that module as bitcode. Halide's LLVM is older than ours and cannot read bitcode of our writer,
// so the module uses only the few records that have not changed. Its functions never return and are weak, so Halide
// cannot infer anything from their bodies. Operations.h substitutes the operations.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Stage.h"
#include <cstdint>
#include <string>
#include <vector>

namespace attnc::halide {

/// Prefix of the name of an operation's function, followed by the operation's number.
inline constexpr char operationPrefix[] = "attnc.operation";
/// Function that checks a subscript.
inline constexpr char checkName[] = "attnc.checked";
/// Function that returns its first operand.
inline constexpr char repeatName[] = "attnc.repeated";
/// Functions that convert between f32 and bf16 or f16, whose bits are the lower half of an i32.
inline constexpr char widenPrefix[] = "attnc.widened.", narrowPrefix[] = "attnc.narrowed.";
/// Common prefix of all these functions.
inline constexpr char callPrefix[] = "attnc.";

/// The function that Halide calls for a Call, a Checked or a Repeated.
std::string functionOf(const Node &node);

/// Returns bitcode with functions for vectors of 2, 4, ... `lanes` elements: one for each operation that the stage
/// calls, and the conversions of its 16-bit elements. Empty if the stage calls none. Truth values are 32-bit numbers.
std::vector<uint8_t> declareCalls(const Stage &stage, int64_t lanes);

} // namespace attnc::halide
