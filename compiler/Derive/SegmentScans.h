//===- SegmentScans.h - scans whose reverse computes them again, segment by segment ------------------------------===//
//
// What the reverse of a scan keeps of its steps grows with their number. Cut into segments, a scan is a loop over
// segments around a loop over the steps of one, and a shorter scan of the steps that are left:
//
//   scf.for %t = 0 to n             →    scf.for %s = 0 to n / 8                        keeps states per segment
//     body(%t)                             scf.for %i = 0 to 8     {model.scan}         keeps what it kept, of 8 steps
//                                            body(8 * %s + %i)
//                                        scf.for %i = 0 to n mod 8 {model.scan}
//                                          body(n - n mod 8 + %i)
//
// The reverse of a loop computes again what its body holds (LoopRule.cpp), so that of a segment begins with the
// segment's forward steps, from the states that were kept. Lists of all steps, read or written, are lists of segments,
// which are lists of steps: nothing is copied but where steps are left.
//
//   attn.segments = [8, 0]    on a function, before: how long segments of its scans are, in their order; 0: not cut
//   attn.scans = [{...}]      on a function, after: {place = "rnn.attn:12:5", steps = "seq", segment = 8, cuttable}
//
// Source: Chen, Xu, Zhang, Guestrin, "Training deep nets with sublinear memory cost" (2016).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>
#include <string>
#include <vector>

namespace attnc {

inline constexpr llvm::StringLiteral segmentsAttrName = "attn.segments";
inline constexpr llvm::StringLiteral scansAttrName = "attn.scans";

struct Scan {
  std::string place;
  SizeExpr steps; ///< over the function's dimensions
  int64_t segment = 0;
  bool isCuttable = true; ///< each step has elements of its own of all lists
};

/// Cuts the scans of a function that can be, scan number i into segments of `lengths[i]` steps, and records all scans.
void segmentScans(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> lengths);
/// What was recorded of a function.
std::vector<Scan> scansOf(mlir::func::FuncOp function);

/// Of functions that are differentiated, as they say.
std::unique_ptr<mlir::Pass> createSegmentScansPass();

} // namespace attnc
