//===- Backend.h - back end: lowering of a code module to an object -----------------------------------------------===//
//
// The code module contains the functions that emitters and the host phase generate, on {func, scf, arith, math, vector,
// memref, affine, cf, index, llvm, ub}. It is lowered by
//
//   lowerToLlvmDialect   on processors, first mergeFunctions; then lowers everything to the `llvm` dialect;
//                        transcendental functions become arithmetic (VectorMath.h), because an object must not
//                        call libm
//   addLineTables        if requested: attaches the model's source line to each op
//   translateToLlvm      LLVM IR with the target's triple, data layout and features
//   optimise             a short list of LLVM passes
//   emit                 a relocatable object or assembly text, in memory
//
// The bytes depend on the module and the target alone: they contain no dates or pointers, and no paths except in line
// tables.
//
//===--------------------------------------------------------------------------------------------------------------===//
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

/// Merges internal functions that differ only in integer constants which are added, subtracted or compared; these
/// constants become parameters. Functions with uses other than func.call are not merged. Requires that each constant
/// has one purpose: no common subexpressions have been eliminated. lowerToLlvmDialect calls it; it is public for tests.
void mergeFunctions(mlir::ModuleOp code);
/// Fails, with a message on the op, if an op or value cannot be lowered, which is a bug of an emitter.
mlir::LogicalResult lowerToLlvmDialect(mlir::ModuleOp code, const Target &target);
/// Adds line tables to a module of the `llvm` dialect, before translation: functions with a location in a file get one.
void addLineTables(mlir::ModuleOp code);
mlir::FailureOr<LlvmCode> translateToLlvm(mlir::ModuleOp code, const Target &target);
void optimise(LlvmCode &code, const Target &target);
/// Fails if LLVM's code generator for the target cannot write this kind of file. Consumes `code`.
mlir::FailureOr<llvm::SmallVector<char, 0>> emit(LlvmCode &code, const Target &target, OutputKind kind);
/// Fails, with a message on the module, if the object is malformed or calls functions other than memcpy, memset and
/// memmove.
mlir::LogicalResult verifyUndefinedSymbols(mlir::ModuleOp code, llvm::ArrayRef<char> object);

/// Runs all steps except line tables, for tests and benchmarks; a compile runs them as phases. Consumes `code`, which
/// ends in the `llvm` dialect. Fails if one of the steps or verifyUndefinedSymbols fails, which is a bug of an emitter.
mlir::FailureOr<llvm::SmallVector<char, 0>> compileToObject(mlir::ModuleOp code, const Target &target);

} // namespace attnc
