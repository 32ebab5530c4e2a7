//===- Passes.td - passes of derive -------------------------------------------------------------------------------===//
//
// Flags and dependent dialects; docs/passes.md is generated from here. The headers Derive.h, SegmentScans.h and
// Incremental/Incremental.h have their contracts.
//
//===------------------------------------------------------------------------------------------------------------===//
include "mlir/Pass/PassBase.td"

def IncrementalPass : Pass<"attn-incremental", "::mlir::ModuleOp"> {
  let summary = "generate entry points that compute a function position by position, with key-value caches";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::attn::AttnDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::model::ModelDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def SegmentScansPass : Pass<"attn-segment-scans", "::mlir::ModuleOp"> {
  let summary = "cut scans into segments that the backward pass recomputes";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::model::ModelDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def DerivePass : Pass<"attn-derive", "::mlir::ModuleOp"> {
  let summary = "generate gradients, training steps and attention maps";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::attn::AttnDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::model::ModelDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}
