//===- Predict.h - how long launches of kernels will take ---------------------------------------------------------===//
//
//   predicted = launches of phases and chunks + waiting for code and operands to begin to come
//               + the longer of computing and moving + half of the shorter one
//
// where computing is what the generated code asks of a core (CodeTime.h), and moving is the bytes of each level of
// memory over its bandwidth (Traffic.h). A core computes while it waits for memory, but not all the time. Several
// workers share chunks, and the levels behind their own caches.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"
#include "compiler/Predict/CodeTime.h"
#include "compiler/Predict/Machine.h"
#include "compiler/Predict/Traffic.h"

namespace attnc {

/// Of one launch.
struct Prediction {
  double launch = 0;  ///< seconds: of handing out phases and chunks, and until code and operands begin to come
  double compute = 0; ///< of its instructions, operands in the nearest cache
  double memory = 0;  ///< of moving operands and results
  double instructions = 0; ///< of all chunks, vectors and scalars
  std::string bound;  ///< what takes longest: "compute", "launch", or a level of memory
  double seconds() const;
};

class Predictor {
public:
  /// `code` is what `generate` made of the program's kernels.
  Predictor(const Program &program, mlir::ModuleOp code, const Target &target, const Machine &machine);

  /// Of each launch of an entry point; the sizes are those of its symbols, of which the last is the workers.
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
