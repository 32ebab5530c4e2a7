//===- Predict.h - cost model of kernel launches ------------------------------------------------------------------===//
//
//   time = launch overhead of phases and chunks + latency of the first code and operands
//          + max(computation, memory) + min(computation, memory) / 2
//
// Computation is the time of the generated code with all data in L1 (CodeTime.h). Memory is the bytes from each memory
// level divided by its bandwidth (Traffic.h). The last term models incomplete overlap of the two. Several workers
// divide the chunks, and share the memory levels beyond their private caches.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"
#include "compiler/Predict/CodeTime.h"
#include "compiler/Predict/Machine.h"
#include "compiler/Predict/Traffic.h"

namespace attnc {

/// Predicted time of one launch. seconds() combines the parts by the formula above.
struct Prediction {
  double launch = 0;       ///< seconds: overhead of phases and chunks, and latency of the first code and operands
  double compute = 0;      ///< seconds: instructions, with operands in L1
  double memory = 0;       ///< seconds: memory traffic
  double instructions = 0; ///< over all chunks, vector and scalar instructions
  std::string bound;       ///< the longest part: "compute", "launch", or the name of a memory level
  double seconds() const;
};

/// Predicts the launches of one program.
class Predictor {
public:
  /// `code` is the module with the generated code of the program's kernels.
  Predictor(const Program &program, mlir::ModuleOp code, const Target &target, const Machine &machine);

  /// Predicts each launch of an entry point, by its func.call; `sizes` are the values of its symbols, the last of which
  /// is the workers.
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
