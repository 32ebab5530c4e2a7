//===- StagePhase.h - kernel phases that call Halide's code -------------------------------------------------------===//
//
// Each stage of a kernel becomes one kernel phase with the kernel ABI. The executor distributes the phase's chunks, and
// Halide's code has no parallel loop. For a stage of kernel k:
//
//   @k(args, chunk, scratch)
//     computes the chunk's first index, and its number of tiles, in each dimension that chunks divide
//     @k.halide(operands as halide_buffer_t, sizes, spans, result)         tiles, the last one moved to the chunk's end
//     @k.halide.rest(...)                                                  a chunk that is smaller than a tile
//
// Before the call, each chunk checks that the magnitudes of arguments are at most CompiledStage::largestSize, that
// strides fit in 32 bits, and that each data-dependent subscript that is read has an element. Otherwise it sets the
// status to ATTN_BAD_ARGUMENT or ATTN_OUT_OF_RANGE and computes nothing. A stage that does not write a result of the
// kernel writes to memory that all chunks of the launch share (KernelCode::sharedBytes).
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
  mlir::LLVM::LLVMFuncOp main, rest; ///< imported functions; `rest` is null if no dimension is ragged
  int64_t largestSize = 0;           ///< limit of the magnitude of arguments (Stage.h), which each chunk checks
  SizeExpr offset = 0;               ///< bytes from the start of shared memory to its tensor, unless it writes a result
};

/// Data shared by the stages of a kernel.
struct StageContext {
  mlir::func::FuncOp kernel;
  mlir::ModuleOp code;                  ///< the module of generated code
  llvm::ArrayRef<SizeExpr> arguments;   ///< the value of each argument of the stages, over the kernel's symbols
  llvm::ArrayRef<CompiledStage> stages; ///< all stages of the kernel, in the order of their computation
};

/// The value of a size, where argument n of the stage is arguments[n]; 0 if it is a difference below 0.
SizeExpr valueOf(const Size &size, llvm::ArrayRef<SizeExpr> arguments);
/// The bytes of the tensor that a stage writes, rounded up to a multiple of scratchAlignment.
SizeExpr bytesOf(const CompiledStage &stage, llvm::ArrayRef<SizeExpr> arguments);

/// Appends the phase of stage `number` of context.stages to context.code as function `symbol`, and returns it with its
/// number of chunks. The functions of the stage are in context.code.
KernelPhase emitStagePhase(unsigned number, llvm::StringRef symbol, const StageContext &context);

} // namespace attnc::halide
