//===- DeviceBackend.h - lowering of a device's code module to PTX ------------------------------------------------===//
//
// The code module of a device has one function for each kernel phase (Nest/DeviceFrame.h). It uses the dialects of a
// processor's code module (compiler/Codegen/Backend/Backend.h), and `nvvm` for device instructions. It is lowered once,
// and then compiled for each device image (Target::image):
//
//   lowerDeviceCode      lowerToLlvmDialect; then each function of a kernel phase becomes a PTX kernel with a fixed
//                        number of threads for each block
//   for each image:
//     translateToLlvm, optimise                          of Backend.h
//     emitPtx            PTX text, which the driver compiles at load time; the text calls no external function
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Backend/Backend.h"
#include <string>

namespace attnc {

/// Adds to `registry` the dialect `nvvm` and its translation to LLVM IR, which a compile for a device needs in addition
/// to registerBackendDialects.
void registerDeviceDialects(mlir::DialectRegistry &registry);

/// Lowers `code` in place. Fails where lowerToLlvmDialect fails. A function is a kernel phase if it has `attn.threads`,
/// the threads of a block. If a kernel phase redistributes registers (setmaxnreg), its register limit is an equal share
/// of the 65536 registers of a multiprocessor for each thread, rounded down to a multiple of 8; otherwise ptxas chooses
/// the number of registers without regard to occupancy.
mlir::LogicalResult lowerDeviceCode(mlir::ModuleOp code, const Target &target);
/// The PTX text of `llvmCode`, which is optimised LLVM IR of `code`. `target` is one image (Target::image). Fails, with
/// a message on `code`, if the IR or the text uses a function that it does not define, and without one where emit()
/// of Backend.h fails. Consumes `llvmCode`.
mlir::FailureOr<std::string> emitPtx(mlir::ModuleOp code, LlvmCode &llvmCode, const Target &target);

} // namespace attnc
