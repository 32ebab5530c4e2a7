//===- AttendPhase.h - the phase of attention that calls Halide's code --------------------------------------------===//
//
//   @k(args, chunk, scratch)
//     which tile of queries is it, and which keys can its mask keep (AttendMask.h)
//     @k.halide(operands, sizes, indices, keys, queries, results, memory for all keys of the tile)
//     where a result is NaN: @k.halide.kept(...), which adds the values of kept pairs alone
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/AttendTile.h"
#include "compiler/Codegen/Halide/ReadAttend.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attnc::halide {

struct CompiledAttend {
  KernelAttend read;
  AttendTile tile;
  mlir::LLVM::LLVMFuncOp main, kept;
};

/// Whether the values of a row of the result lie next to each other.
bool isValueInnermost(const AttendProblem &problem);

KernelCode emitAttendPhase(const CompiledAttend &attend, mlir::func::FuncOp kernel, mlir::ModuleOp code);

} // namespace attnc::halide
