//===- Passes.td - passes of raise --------------------------------------------------------------------------------===//
//
// Flags and dependent dialects; docs/passes.md is generated from here. RaiseAttention.cpp has the contract.
//
//===------------------------------------------------------------------------------------------------------------===//
include "mlir/Pass/PassBase.td"

def RaiseAttentionPass : Pass<"attn-raise-attention", "::mlir::ModuleOp"> {
  let summary = "rewrite sums weighted by a softmax or a ratio as attention";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::attn::AttnDialect", "::mlir::tensor::TensorDialect"];
}
