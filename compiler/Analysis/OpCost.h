//===- OpCost.h - cost table of scalar operations -----------------------------------------------------------------===//
//
// All passes share this table. `flops` counts floating-point operations for certificates; a function such as exp counts
// as one. `instructions` is an estimate of time, which fusion and schedules compare: the time of the operation on
// vectors, in vector additions. An operation whose result is not a float, for example an integer or a vector, has no
// flops.
//
//                                                   flops   instructions
//   constants, indices, sizes, yield, attn.stop       -         -
//   + - * max min of floats                           1         1
//   fma                                               2         1
//   / sqrt rsqrt                                      1         8
//   other functions of `math`: exp, tanh, pow, ...    1        20
//   a random draw (attn.uniform)                      -       150
//   absolute value, copysign, rounding                -         1
//   all others: integers, comparison, selection,
//   conversion, a load                                -         1
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"
#include "mlir/IR/Region.h"

namespace attnc {

struct OpCost {
  int64_t flops = 0, instructions = 0;
};

/// The cost of one evaluation of `op`, without its regions.
OpCost costOf(mlir::Operation *op);
/// The sum of the costs of all ops in `region`. Each op of a nested region counts once, as if the op around it iterated
/// once.
OpCost costOf(mlir::Region &region);

/// Floating-point operations of one evaluation of a region of `attn.attend`; 0 for an empty region. The body of an
/// `attn.reduce` counts once for each term, with one more operation to combine the term if it is an f32. The number of
/// terms is the product of the op's sizes; `sizeOf` returns the expression of an `index` value that is such a size. Ops
/// in nested regions of other ops do not count.
SizeExpr flopsOf(mlir::Region &region, llvm::function_ref<SizeExpr(mlir::Value)> sizeOf);

} // namespace attnc
