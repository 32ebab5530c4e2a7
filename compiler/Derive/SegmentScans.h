//===- SegmentScans.h - gradient checkpointing of scans by segments -----------------------------------------------===//
//
// The residuals of a scan, which its backward pass reads, grow with its number of time steps. Segmentation turns a scan
// into a loop over segments around a loop over the time steps of one segment, followed by a shorter scan of the
// remaining steps. Here with segments of 8 steps:
//
//   scf.for %t = 0 to n             →    scf.for %s = 0 to n / 8                        stores its carried values
//     body(%t)                             scf.for %i = 0 to 8     {model.scan}         stores residuals of 8 steps
//                                            body(8 * %s + %i)
//                                        scf.for %i = 0 to n mod 8 {model.scan}
//                                          body(n - n mod 8 + %i)
//
// The reversed loop recomputes its body (LoopRule.cpp). The backward pass of a segment therefore first recomputes the
// segment's forward steps from the carried values that are stored before the segment. Per-iteration lists, read or
// written, become lists of segments, which are lists of steps; only the remaining steps need copies.
//
//   attn.segments = [8, 0]    on a function, input: segment lengths of its scans, in order; 0: not cut
//   attn.scans = [{...}]      on a function, output: {place = "rnn.attn:12:5", steps = "seq", segment = 8, cuttable}
//
// The scans of a function are its outermost loops with `model.scan` and a canonical induction variable
// (LoopIterations.h), in program order. The pass `attn-segment-scans` rewrites the functions with model.gradient or
// model.minimize, before they are differentiated, and removes attn.segments.
//
// Source: Chen, Xu, Zhang, Guestrin, "Training deep nets with sublinear memory cost" (2016).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>
#include <vector>

namespace attnc {

inline constexpr llvm::StringLiteral segmentsAttrName = "attn.segments";
inline constexpr llvm::StringLiteral scansAttrName = "attn.scans";

/// A record of attn.scans.
struct Scan {
  std::string sourceLocation; ///< "nn.attn:279:5"; empty if it is unknown
  SizeExpr steps;             ///< time steps, over the function's dimensions; 0 if these do not determine them
  int64_t segment = 0;        ///< time steps of a segment; 0: not cut
  /// True if the scan may be cut: each time step writes its own element of every per-iteration list that the scan
  /// writes, and the number of time steps is a function of the dimensions.
  bool isCuttable = true;
};

/// Cuts scan number i into segments of `lengths[i]` steps, if each time step writes its own element of every
/// per-iteration list that the scan writes; 0, or no such length: not cut. Records all scans, if there are any, in
/// attn.scans.
void segmentScans(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> lengths);
/// The scans that attn.scans records, in program order; empty if there are none.
std::vector<Scan> scansOf(mlir::func::FuncOp function);

} // namespace attnc
