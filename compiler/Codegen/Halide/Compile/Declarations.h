//===- Declarations.h - declarations of opaque calls for Halide ---------------------------------------------------===//
//
// A stage contains operations that Halide has no code for, or whose result Halide's simplifier would change. For Halide
// they are opaque calls: calls of functions that it does not know. Halide calls an unknown function once for each lane,
// unless a module that is linked with its own has a function for vectors, named by the function and the number of
// lanes:
//
//   f32 attnc.operation3(f32)     <16 x f32> attnc.operation3x16(<16 x f32>)
//
// declareCalls() writes such a module as bitcode. Halide's LLVM is older than the compiler's and cannot read bitcode of
// the compiler's writer, so the module uses only the few records that have not changed. Its functions never return and
// are weak, so Halide cannot infer anything from their bodies. When Halide's code is imported, Operations.h replaces
// the calls by the operations.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Stage.h"
#include <cstdint>
#include <string>
#include <vector>

namespace attnc::halide {

/// Prefix of the name of an operation's function; the operation's number in the kernel's Operations follows.
inline constexpr char operationPrefix[] = "attnc.operation";
/// The function of Op::Checked: (subscript, size) to the subscript, or to 0 if it is out of range.
inline constexpr char checkName[] = "attnc.checked";
/// The function of Op::Repeated, which returns its first operand.
inline constexpr char repeatName[] = "attnc.repeated";
/// Prefixes of the functions that convert between f32 and a 16-bit type, "bf16" or "f16", whose name follows. The 16
/// bits are the lower half of an i32.
inline constexpr char widenPrefix[] = "attnc.widened.", narrowPrefix[] = "attnc.narrowed.";
/// Common prefix of all these functions.
inline constexpr char callPrefix[] = "attnc.";

/// The name of the scalar function for a node of kind Call, Checked or Repeated.
std::string functionOf(const Node &node);

/// Bitcode of a module with functions for vectors of 2, 4, ... `lanes` elements, for each function that the stage
/// calls: operations, checks, repetitions (Op::Repeated), and the conversions of its 16-bit elements. Truth values are
/// 32-bit numbers. Empty if the stage calls none, or if `lanes` is 1.
std::vector<uint8_t> declareCalls(const Stage &stage, int64_t lanes);

} // namespace attnc::halide
