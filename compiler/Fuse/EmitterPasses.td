//===- EmitterPasses.td - passes of fuse that query emitters ------------------------------------------------------===//
//
// registerFusePasses (Fuse.h) registers these passes, because the generated registration passes no emitters.
//
//===------------------------------------------------------------------------------------------------------------===//
include "mlir/Pass/PassBase.td"

def FormContractionsPass : Pass<"attn-form-contractions", "::mlir::ModuleOp"> {
  let summary = "rewrite contractions as [batch,] M x K . K x N with an epilogue";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
  let constructor = "createFormContractionsPass({})";
  let options = [Option<"targetName", "target", "std::string", /*default=*/"\"native\"",
                        "processor or device whose emitters are queried">];
}

def SplitKernelsPass : Pass<"attn-split-kernels", "::mlir::ModuleOp"> {
  let summary = "split groups that no emitter supports as one kernel";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect"];
  let constructor = "createSplitKernelsPass({})";
  let options = [Option<"targetName", "target", "std::string", /*default=*/"\"native\"",
                        "processor or device whose emitters are queried">];
}

def PackWeightsPass : Pass<"attn-pack-weights", "::mlir::ModuleOp"> {
  let summary = "mark weights that kernels read packed";
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::model::ModelDialect"];
  let constructor = "createPackWeightsPass({})";
  let options = [Option<"targetName", "target", "std::string", /*default=*/"\"native\"",
                        "processor or device whose emitters are queried">];
}
