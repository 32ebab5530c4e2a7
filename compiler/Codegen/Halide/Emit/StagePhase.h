//===- StagePhase.h - kernel phases that call Halide's code -------------------------------------------------------===//
//
// Each stage of a kernel is a phase with the ABI of kernels. The executor distributes its chunks, because Halide's code
// has no parallel loop.
//
//   @k(args, chunk, scratch)
//     computes the chunk's first index, and its number of tiles, in each dimension that chunks divide
//     @k.halide(operands as halide_buffer_t, sizes, spans, result)         tiles, the last one moved to the chunk's end
//     @k.halide.rest(...)                                                  a chunk that is smaller than a tile
//
// A stage that does not write a result writes to memory that all chunks of the launch share.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Schedule/StageSchedule.h"
#include "compiler/Codegen/Halide/Schedule/Staging.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attnc::halide {

/// A stage with Halide's code for it.
struct CompiledStage {
  PlannedStage planned;
  Schedule schedule;
  mlir::LLVM::LLVMFuncOp main, rest; ///< `rest` is null if no dimension is ragged
  int64_t largestSize = 0;           ///< limit of the magnitude of arguments, which each chunk checks
  SizeExpr offset = 0;               ///< of its tensor in shared memory, in bytes, unless it writes a result
};

/// Data shared by the stages of a kernel.
struct StageContext {
  mlir::func::FuncOp kernel;
  mlir::ModuleOp code;
  llvm::ArrayRef<SizeExpr> arguments; ///< arguments of all stages
  llvm::ArrayRef<CompiledStage> stages;
};

/// The size as an expression of the arguments' expressions; 0 if it is a difference below 0.
SizeExpr valueOf(const Size &size, llvm::ArrayRef<SizeExpr> arguments);
/// The bytes of the tensor that a stage writes, rounded up to the alignment of scratch memory.
SizeExpr bytesOf(const CompiledStage &stage, llvm::ArrayRef<SizeExpr> arguments);

/// Emits the phase of stage `number` of context.stages as function `symbol`.
KernelPhase emitStagePhase(unsigned number, llvm::StringRef symbol, const StageContext &context);

} // namespace attnc::halide
