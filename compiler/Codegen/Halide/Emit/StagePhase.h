//===- StagePhase.h - a phase of a kernel that calls Halide's code ------------------------------------------------===//
//
// Each stage of a kernel is a phase with the kernels' ABI, whose chunks are ours: Halide's code has no parallel loop.
//
//   @k(args, chunk, scratch)
//     which chunk is it: the first index, and the number of tiles, of each dimension that chunks divide
//     @k.halide(operands as halide_buffer_t, sizes, spans, result)         tiles, the last one moved to the chunk's end
//     @k.halide.rest(...)                                                  a chunk that is smaller than a tile
//
// Stages that are no result write to memory that all chunks of the launch share.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Schedule/StageSchedule.h"
#include "compiler/Codegen/Halide/Schedule/Staging.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attnc::halide {

struct CompiledStage {
  PlannedStage planned;
  Schedule schedule;
  mlir::LLVM::LLVMFuncOp main, rest; ///< `rest` is null where no dimension is ragged
  int64_t largestSize = 0;           ///< of dynamic sizes
  SizeExpr offset = 0;               ///< of its tensor in shared memory, in bytes, where it is no result
};

/// What a kernel's stages have in common.
struct StageContext {
  mlir::func::FuncOp kernel;
  mlir::ModuleOp code;
  llvm::ArrayRef<SizeExpr> arguments; ///< of all stages
  llvm::ArrayRef<CompiledStage> stages;
};

SizeExpr valueOf(const Size &size, llvm::ArrayRef<SizeExpr> arguments);
/// Bytes of the tensor that a stage writes.
SizeExpr bytesOf(const CompiledStage &stage, llvm::ArrayRef<SizeExpr> arguments);

/// The phase of stage `number`, under `symbol`.
KernelPhase emitStagePhase(unsigned number, llvm::StringRef symbol, const StageContext &context);

} // namespace attnc::halide
