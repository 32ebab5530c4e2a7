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

struct FoldMatch {
  mlir::attn::Combine kind;
  mlir::Value term; ///< inside the region
};

/// Matches the reduction of result number `result`; null if the out argument has another use, or if no operation
/// combines it with a term.
std::optional<FoldMatch> matchFold(mlir::linalg::GenericOp op, unsigned result);

} // namespace attnc
