//===- DeviceBackend.h - from a device's code module to PTX -----------------------------------------------------===//
//
// The code module of a device holds the functions of kernels' phases (Nest/DeviceFrame.h) on the dialects of a
// processor's code module and `nvvm`, for what only a device has. Its steps are those of compiler/Codegen/Backend, with
// two that differ:
//
//   lowerDeviceCode      lowerToLlvmDialect, and each function becomes a kernel of PTX with its number of threads
//   translateToLlvm, optimise
//   emitPtx              text, for the driver to compile where it runs; it calls no function that is not in it
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Backend/Backend.h"
#include <string>

namespace attnc {

/// What registerBackendDialects leaves to compiles for a device.
void registerDeviceDialects(mlir::DialectRegistry &registry);

mlir::LogicalResult lowerDeviceCode(mlir::ModuleOp code, const Target &target);
/// Fails, with a message on the module, where the text would call a function that it does not define.
mlir::FailureOr<std::string> emitPtx(mlir::ModuleOp code, LlvmCode &llvmCode, const Target &target);

} // namespace attnc
