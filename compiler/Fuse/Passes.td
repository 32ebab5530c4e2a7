//===- Passes.td - passes of fuse ---------------------------------------------------------------------------------===//
//
// Flags, options and dependent dialects; docs/passes.md is generated from here. The source file of a pass has its
// contract and an example. Passes that query emitters are in EmitterPasses.td.
//
//===------------------------------------------------------------------------------------------------------------===//
include "mlir/Pass/PassBase.td"

def MaterialiseScoresPass : Pass<"attn-materialise-scores", "::mlir::ModuleOp"> {
  let summary = "rewrite attention to plain tensor code if a strategy refuses it as one op";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ResolveSizesPass : Pass<"attn-resolve-sizes", "::mlir::ModuleOp"> {
  let summary = "write sizes as arithmetic on the dimensions of the arguments";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def BatchIterationsPass : Pass<"attn-batch-iterations", "::mlir::ModuleOp"> {
  let summary = "move the contractions of a loop that are not part of the recurrence out of it";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::model::ModelDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def RaiseViewsPass : Pass<"attn-raise-views", "::mlir::ModuleOp"> {
  let summary = "rewrite generics that only move elements to slice, expand, transpose and collapse ops";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def NarrowSlicesPass : Pass<"attn-narrow-slices", "::mlir::ModuleOp"> {
  let summary = "compute only the slice of a tensor that is used";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def FoldViewsPass : Pass<"attn-fold-views", "::mlir::ModuleOp"> {
  let summary = "read views in place by subscripts and maps; write attention in the layout of its reader";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FoldViewsIntoAttentionPass : Pass<"attn-fold-views-into-attention", "::mlir::ModuleOp"> {
  let summary = "read and write views in place, as attn-fold-views does, in attention alone";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FusePointwisePass : Pass<"attn-fuse-pointwise", "::mlir::ModuleOp"> {
  let summary = "fuse chains of pointwise ops";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FoldFormulasPass : Pass<"attn-fold-formulas", "::mlir::ModuleOp"> {
  let summary = "compute pointwise tensors inside the attend or generic that reads them";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FoldPairFormulasPass : Pass<"attn-fold-pair-formulas", "::mlir::ModuleOp"> {
  let summary = "compute all-pairs tensors inside the attention that reads them";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def LiftGathersPass : Pass<"attn-lift-gathers", "::mlir::ModuleOp"> {
  let summary = "hoist reads at data-dependent subscripts out of the reductions of rows";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FormRowsPass : Pass<"attn-form-rows", "::mlir::ModuleOp"> {
  let summary = "group reductions over the last dimension with ops over the same rows";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def OutlineKernelsPass : Pass<"attn-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "move each group of ops, and each op without a group, into a private function";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect"];
}

def OrderUpdatesPass : Pass<"attn-order-updates", "::mlir::ModuleOp"> {
  let summary = "move updates of a parameter after all reads of its previous value";
}

def DeduplicateKernelsPass : Pass<"attn-deduplicate-kernels", "::mlir::ModuleOp"> {
  let summary = "keep one of several kernels with equal structure";
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def KeepExactPass : Pass<"attn-keep-exact", "::mlir::ModuleOp"> {
  let summary = "mark arithmetic that emitters must not contract, because a comparison depends on its last bit";
}

def ExplainEdgesPass : Pass<"attn-explain-edges", "::mlir::ModuleOp"> {
  let summary = "record the reason why each edge between kernels is not fused";
}

def EliminateCommonValuesPass : Pass<"attn-eliminate-common-values", "::mlir::ModuleOp"> {
  let summary = "compute equal values once (common-subexpression elimination)";
}
