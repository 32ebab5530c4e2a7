//===- Backend.h - back end: lowering of a code module to an object -----------------------------------------------===//
//
// The code module contains the functions that emitters and the host phase generate, in the dialects {func, scf, arith,
// math, vector, memref, affine, cf, index, llvm, ub}. These functions lower it, in this order:
//
//   lowerToLlvmDialect   for a processor, first mergeFunctions; then lowers everything to the `llvm` dialect;
//                        transcendental functions and random draws become arithmetic (VectorMath.h), because an
//                        object must not call libm
//   addLineTables        if requested: attaches the model's source line to each op
//   translateToLlvm      LLVM IR with the target's triple, data layout and features
//   optimise             a short list of LLVM passes
//   emit                 a relocatable object or assembly text, in memory
//
// The code module of a device is lowered by these functions too (GPU/Backend/DeviceBackend.h). The emitted bytes depend
// on the module and the target alone: they contain no dates or pointers, and no paths except in line tables.
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

/// LLVM IR and the context that owns its types. Both are null in a default-constructed object.
struct LlvmCode {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  LlvmCode();
  LlvmCode(LlvmCode &&);
  LlvmCode &operator=(LlvmCode &&);
  ~LlvmCode();
};

enum class OutputKind { Object, Assembly };

/// Adds to `registry` the dialects that code modules use, and their translations to LLVM IR.
void registerBackendDialects(mlir::DialectRegistry &registry);

/// Merges internal functions (`llvm.linkage`) of `code` that are equal, or differ only in integer constants, not i1,
/// that are operands of comparisons, minima and maxima, or of sums that reach no address, call, store or terminator.
/// One of the functions remains; constants that differ become parameters at its end, and calls pass them. Functions
/// with uses other than func.call, without uses, or with different callees are not merged. Requires that each constant
/// op has one purpose: no common subexpressions have been eliminated. lowerToLlvmDialect calls mergeFunctions for
/// processors; it is public for tests.
void mergeFunctions(mlir::ModuleOp code);
/// Lowers `code` in place. Fails, with a message, if the expansion of a function does not end, a transcendental
/// function or a random draw (on processors also a maximum or minimum) is not of f32, or a value has no type in LLVM,
/// which is a bug of an emitter. Other ops without a lowering remain, such as those of `nvvm`, for translateToLlvm.
mlir::LogicalResult lowerToLlvmDialect(mlir::ModuleOp code, const Target &target);
/// Adds debug locations to a module of the `llvm` dialect, before translation. Each defined function with a location in
/// a file has a line table in the object afterwards; its ops without such a location get that of the function.
void addLineTables(mlir::ModuleOp code);
/// The LLVM IR of a module of the `llvm` dialect, which is unchanged. Fails, with a message on the op, if MLIR cannot
/// translate an op. Device code needs the dialects of registerDeviceDialects too.
mlir::FailureOr<LlvmCode> translateToLlvm(mlir::ModuleOp code, const Target &target);
/// Optimises `code` in place. The passes differ between processors and devices.
void optimise(LlvmCode &code, const Target &target);
/// The bytes of the file. Fails, without a message, if LLVM's code generator for the target cannot write this kind of
/// file: for a device it writes Assembly only, which is PTX. Consumes `code`: afterwards it can only be destroyed.
mlir::FailureOr<llvm::SmallVector<char, 0>> emit(LlvmCode &code, const Target &target, OutputKind kind);
/// Fails, with a message on `code`, if `object` is malformed or has undefined symbols other than memcpy, memset and
/// memmove. `object` are the bytes that emit returned for `code`, which is used for the message only.
mlir::LogicalResult verifyUndefinedSymbols(mlir::ModuleOp code, llvm::ArrayRef<char> object);

/// Runs all steps except line tables, for tests and benchmarks; a compile runs them as phases. `target` is a processor.
/// Returns the bytes of the object. Changes `code`, which ends in the `llvm` dialect. Fails if one of the steps or
/// verifyUndefinedSymbols fails, which is a bug of an emitter.
mlir::FailureOr<llvm::SmallVector<char, 0>> compileToObject(mlir::ModuleOp code, const Target &target);

} // namespace attnc
