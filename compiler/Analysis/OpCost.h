//===- OpCost.h - cost table of scalar operations -----------------------------------------------------------------===//
//
// One cost table for all passes. `flops` counts the floating-point operations of the formula, for certificates; a
// function such as exp counts as one. `instructions` is the cost that fusion and schedules compare: the time of one
// vector operation relative to an addition.
//
//                                                   flops   instructions
//   constants, indices, sizes, yield                  -         -
//   + - * max min of floats                           1         1
//   fma                                               2         1
//   / sqrt rsqrt                                      1         8
//   other functions of `math`: exp, tanh, pow, ...    1        20
//   a random draw (attn.uniform)                      -       150
//   sign, rounding                                    -         1
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
/// The cost of one evaluation of `region`, nested regions included.
OpCost costOf(mlir::Region &region);

/// Floating-point operations of one evaluation of a region of `attn.attend`; 0 for an empty region. The product of the
/// sizes of an `attn.reduce` is the number of its terms; `sizeOf` returns the value of a size.
SizeExpr flopsOf(mlir::Region &region, llvm::function_ref<SizeExpr(mlir::Value)> sizeOf);

} // namespace attnc
