//===- DeviceBackend.h - lowering of a device's code module to PTX ------------------------------------------------===//
//
// The code module of a device has one function for each kernel phase (Nest/DeviceFrame.h). It uses the dialects of a
// processor's code module, and `nvvm` for device instructions. Lowering follows compiler/Codegen/Backend, except for
// two functions:
//
//   lowerDeviceCode      lowerToLlvmDialect; then each function of a kernel phase becomes a PTX kernel with its number
//                        of threads and, if it redistributes registers (setmaxnreg), of registers
//   translateToLlvm, optimise
//   emitPtx              PTX text, which the driver compiles at load time; the text calls no external function
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Backend/Backend.h"
#include <string>

namespace attnc {

/// The dialects that a compile for a device needs in addition to registerBackendDialects.
void registerDeviceDialects(mlir::DialectRegistry &registry);

mlir::LogicalResult lowerDeviceCode(mlir::ModuleOp code, const Target &target);
/// The PTX of `llvmCode`, the translation of `code`, for an image of the target. Fails, with a message on the module,
/// if the text calls a function that it does not define.
mlir::FailureOr<std::string> emitPtx(mlir::ModuleOp code, LlvmCode &llvmCode, const Target &target);

} // namespace attnc
