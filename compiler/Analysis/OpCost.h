//===- OpCost.h - cost of an operation of a formula ---------------------------------------------------------------===//
//
// One table for all who count. `flops` is what certificates say: operations on floats that the formula asks for. A
// function such as exp counts as one, whatever it is made of. `instructions` is what choices are made by, of fusion and
// of schedules: the time of one vector's worth, in additions.
//
//                                                   flops   instructions
//   constants, indices, sizes, what a region yields   -         -
//   + - * max min of floats                           1         1
//   fma                                               2         1
//   / sqrt rsqrt                                      1         8
//   other functions of `math`: exp, tanh, pow, ...    1        20
//   sign, rounding                                    -         1
//   whatever else: integers, comparison, selection,
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

/// Of one evaluation; what is in the regions of `op` is not counted.
OpCost costOf(mlir::Operation *op);
/// Of one evaluation of all that is in `region`, of nested regions too.
OpCost costOf(mlir::Region &region);

/// Operations on floats in one evaluation of a region of `attn.attend`: an `attn.reduce` in it has as many terms as its
/// sizes say, of which `sizeOf` gives the values. None where the region is empty.
SizeExpr flopsOf(mlir::Region &region, llvm::function_ref<SizeExpr(mlir::Value)> sizeOf);

} // namespace attnc
