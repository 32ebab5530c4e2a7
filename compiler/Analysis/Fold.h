//===- Fold.h - reductions in the body of a linalg.generic --------------------------------------------------------===//
//
// A body that folds a term into its out argument by one associative operation:
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

struct FoldMatch {
  mlir::attn::Combine kind;
  mlir::Value term; ///< inside the region
};

/// How result number `result` is folded; nothing where the out argument is used in another way, or not at all.
std::optional<FoldMatch> matchFold(mlir::linalg::GenericOp op, unsigned result);

} // namespace attnc
