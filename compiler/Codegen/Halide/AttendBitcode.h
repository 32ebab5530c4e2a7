//===- AttendBitcode.h - attention compiled by Halide -------------------------------------------------------------===//
//
// Compiles a pipeline under its tile to LLVM bitcode of one function,
//
//   i32 symbol(halide_buffer_t *operand..., i32 argument..., i32 index of each outer loop..., i32 first key, i32 keys,
//              i32 queries, halide_buffer_t *result, [*lse], *suspect, [*scores, *weights])
//
// which computes the queries of one tile over a range of keys, of which it needs no other. Records of results are of
// these queries alone: result is [value..., query], values innermost, at any strides; lse [query]. suspect is one i32,
// not 0 where a result is NaN: a weight of 0 does not hide an infinite value of a pair that is dropped. These are rare,
// so that another function, which adds the values of kept pairs alone, is called then. Of `two_pass`, scores and
// weights are memory that the function gets, queries innermost: [key][query], keys rounded up to whole tiles.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/AttendTile.h"
#include "compiler/Codegen/Halide/Bitcode.h"

namespace attnc::halide {

/// 2^x of x <= 0, and the binary logarithm: calls that are replaced when the code is imported (AttendCalls.h).
inline constexpr char exp2Name[] = "attnc.attend.exp2";
inline constexpr char log2Name[] = "attnc.attend.log2";

struct AttendVariant {
  bool isValueInnermost = true; ///< the result's values are one element apart
  bool addsKeptAlone = false;
};

/// `arguments`: how many sizes the function gets.
Bitcode compileAttend(const AttendPipeline &pipeline, const AttendTile &tile, const AttendVariant &variant,
                      const Machine &machine, unsigned arguments, const std::string &symbol);

} // namespace attnc::halide
