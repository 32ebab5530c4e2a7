//===- Fold.h - matcher of reductions in the body of a linalg.generic ---------------------------------------------===//
//
// The last op of such a body combines a term with the out argument, the block argument that holds the result's element
// so far, by one associative operation:
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

/// A reduction: its terms and the operation that combines them.
struct FoldMatch {
  /// Add, Mul, Max or Min of floats or signed integers. For i1, arith.ori is Min and arith.andi is Max, because true is
  /// -1 as a signed number.
  mlir::attn::Combine kind;
  mlir::Value term; ///< the value of the body that is combined with the out argument
};

/// Matches the reduction of result number `result`. Null unless the op in the body that computes the yielded value is
/// one of the operations above, one of its operands is the out argument, and the out argument has no other use.
std::optional<FoldMatch> matchFold(mlir::linalg::GenericOp op, unsigned result);

} // namespace attnc
