//===- Predict.h - cost model of kernel launches ------------------------------------------------------------------===//
//
// Predicts the time of each launch of a kernel on a processor, without executing code, for `attnc explain`
// (ExplainedModel) and other commands. The choice of emitters (KernelForecast.h) uses CodeTime.h and the formula below,
// but no Predictor.
//
//   time = launch overhead of phases and chunks + latency of the first code and operands
//          + max(computation, memory) + min(computation, memory) / 2
//
// Computation is the time of the generated code with all data in L1 (CodeTime.h). Memory is the sum, over the memory
// levels, of the bytes from a level divided by its bandwidth (Traffic.h). The last term models incomplete overlap of
// the two. Several workers divide the chunks, and share the memory levels beyond their private caches.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"
#include "compiler/Predict/CodeTime.h"
#include "compiler/Predict/Machine.h"
#include "compiler/Predict/Traffic.h"

namespace attnc {

/// The prediction for one launch, averaged over the iterations of loops around it.
struct Prediction {
  double launch = 0;       ///< seconds: overhead of phases and chunks, and latency of the first code and operands
  double compute = 0;      ///< seconds: instructions, with operands in L1, and the wide-vector warm-up
  double memory = 0;       ///< seconds: memory traffic
  double instructions = 0; ///< number of vector and scalar instructions of all chunks
  /// The longest part: "launch", "compute", or, for memory, the name of the level that takes the longest.
  std::string bound;
  double seconds() const; ///< the time of the launch: the parts, combined by the formula above
};

/// Predicts the launches of one program.
class Predictor {
public:
  /// `code` is the module with the generated code of the program's kernels, which is copied. `program` must outlive the
  /// object.
  Predictor(const Program &program, mlir::ModuleOp code, const Target &target, const Machine &machine);

  /// Predicts each launch of an entry point of the program. The keys of the result are the func.call ops; a call that
  /// is not executed at these sizes has no element. `sizes` are the values of plan.symbols: the dimensions of the entry
  /// point, then the number of workers. If the time of a phase's code is unknown (CodeTime), its work is assumed to be
  /// multiply-adds at 80 % of the peak.
  llvm::DenseMap<mlir::Operation *, Prediction> predict(const EntryPlan &plan, llvm::ArrayRef<int64_t> sizes);

private:
  PhaseCost costOf(const CompiledKernel &kernel, const KernelPhase &phase, llvm::ArrayRef<int64_t> kernelSizes,
                   int64_t chunks);
  Prediction predict(mlir::func::CallOp call, llvm::ArrayRef<int64_t> kernelSizes, int64_t workers,
                     const LaunchTraffic &moved);
  LaunchedCode codeOf(const CompiledKernel &kernel, llvm::ArrayRef<int64_t> kernelSizes);
  const CompiledKernel *compiledOf(mlir::func::CallOp call) const;
  std::vector<int64_t> sizesOf(mlir::func::CallOp call, SizeAnalysis &analysis, llvm::ArrayRef<int64_t> sizes) const;
  const Program &program;
  Machine machine;
  CodeTime code;
  llvm::StringMap<std::vector<std::pair<std::vector<int64_t>, PhaseCost>>> known;
};

} // namespace attnc
