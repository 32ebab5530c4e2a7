//===- Backend.h - from the code module to an object ----------------------------------------------------------===//
//
// The code module holds what emitters and the host-code phase generate: functions on {func, scf, arith, math, vector,
// memref, affine, cf, index, llvm, ub}. Its steps:
//
//   shareFunctions       functions that differ in integer constants alone become one, on processors
//   lowerToLlvmDialect   everything becomes the `llvm` dialect; transcendental functions become arithmetic
//                        (VectorMath.h), since an object may not call libm
//   addLineTables        where they are wanted: each op keeps the line of the model that it computes
//   translateToLlvm      LLVM IR with the target's triple, data layout and features
//   optimise             a short list of passes of LLVM
//   emit                 a relocatable object or assembly text, in memory
//
// The bytes depend on the module and the target alone: no dates or pointers get in, and no paths but those of line
// tables.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace attnc {

/// LLVM IR and the context that owns its types.
struct LlvmCode {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  LlvmCode();
  LlvmCode(LlvmCode &&);
  LlvmCode &operator=(LlvmCode &&);
  ~LlvmCode();
};

enum class OutputKind { Object, Assembly };

/// The dialects that code modules use and their translations to LLVM IR.
void registerBackendDialects(mlir::DialectRegistry &registry);

/// Part of lowerToLlvmDialect.
void shareFunctions(mlir::ModuleOp code);
mlir::LogicalResult lowerToLlvmDialect(mlir::ModuleOp code, const Target &target);
/// On the `llvm` dialect, before it is translated.
void addLineTables(mlir::ModuleOp code);
mlir::FailureOr<LlvmCode> translateToLlvm(mlir::ModuleOp code, const Target &target);
void optimise(LlvmCode &code, const Target &target);
mlir::FailureOr<llvm::SmallVector<char, 0>> emit(LlvmCode &code, const Target &target, OutputKind kind);
/// Fails, with a message on the module, where the object would call anything but memcpy, memset and memmove.
mlir::LogicalResult verifyUndefinedSymbols(mlir::ModuleOp code, llvm::ArrayRef<char> object);

/// All steps but the line tables; `code` is consumed (it ends in the `llvm` dialect). Fails, with a message on the
/// module, where the object would call anything but memcpy, memset and memmove: that is a bug of an emitter.
mlir::FailureOr<llvm::SmallVector<char, 0>> compileToObject(mlir::ModuleOp code, const Target &target);

} // namespace attnc
