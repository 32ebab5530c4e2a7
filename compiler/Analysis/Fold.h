//===- Fold.h - matcher of reductions in the body of a linalg.generic ---------------------------------------------===//
//
// The body combines a term with its out argument by one associative operation:
//
//   ^bb0(%x: f32, %before: f32):
//     %term = ... %x ...
//     %after = arith.addf %before, %term : f32        kind add
//     linalg.yield %after : f32
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <optional>

namespace attnc {

/// The term of a reduction and the operation that combines it: add, mul, max or min. For i1, `or` is min and `and` is
/// max, because true is -1 as a signed number.
struct FoldMatch {
  mlir::attn::Combine kind;
  mlir::Value term; ///< the value of the body that is combined with the out argument
};

/// Matches the reduction of result number `result`; null if the out argument has another use, or if no operation
/// combines it with a term.
std::optional<FoldMatch> matchFold(mlir::linalg::GenericOp op, unsigned result);

} // namespace attnc
