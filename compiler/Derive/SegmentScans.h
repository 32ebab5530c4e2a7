//===- SegmentScans.h - checkpointing of scans by segments --------------------------------------------------------===//
//
// The residuals of a scan grow with its number of time steps. Segmentation turns a scan into a loop over segments
// around a loop over the time steps of one segment, followed by a shorter scan of the remaining steps:
//
//   scf.for %t = 0 to n             →    scf.for %s = 0 to n / 8                        stores states per segment
//     body(%t)                             scf.for %i = 0 to 8     {model.scan}         stores residuals of 8 steps
//                                            body(8 * %s + %i)
//                                        scf.for %i = 0 to n mod 8 {model.scan}
//                                          body(n - n mod 8 + %i)
//
// The reversed loop recomputes its body (LoopRule.cpp), so the backward pass of a segment first recomputes the
// segment's forward steps from its stored states. Per-iteration lists, read or written, become lists of segments, which
// are lists of steps; only the remaining steps need copies.
//
//   attn.segments = [8, 0]    on a function, input: segment lengths of its scans, in order; 0 for none
//   attn.scans = [{...}]      on a function, output: {place = "rnn.attn:12:5", steps = "seq", segment = 8, cuttable}
//
// `attn-segment-scans` is the pass, for functions to be differentiated.
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
  std::string sourceLocation; ///< "nn.attn:279:5"
  SizeExpr steps;             ///< time steps, over the function's dimensions
  int64_t segment = 0;        ///< time steps of a segment; 0: not cut
  bool isCuttable = true;     ///< each time step has its own element of every list that it writes
};

/// Cuts the cuttable scans of a function, scan number i into segments of `lengths[i]` steps, and records all scans.
void segmentScans(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> lengths);
/// The recorded scans of a function.
std::vector<Scan> scansOf(mlir::func::FuncOp function);

} // namespace attnc
