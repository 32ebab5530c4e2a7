//===- GpuEmitter.h - the emitter for NVIDIA devices, with a family for each kernel kind --------------------------===//
//
// The emitter "gpu" passes each kernel to the family of its `attn.kernel`. As on processors, the RegionVectoriser
// evaluates formulas. The distribution of work differs: one block computes a chunk, and thread groups (ThreadGroup.h)
// take the place of vectorised sweeps. GpuEmitter.cpp has the table of families; kernels of other kinds are not
// supported. Requested schedules are ignored: devices have no schedule keys.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

std::unique_ptr<Emitter> createGpuEmitter();

//===-------------------------------------------- families ----------------------------------------------------===//

// A family has two functions, with the contracts of Emitter::supports and Emitter::emit, for kernels of its kind. emit
// also records the forms of the kernel (KernelForms.h).

Verdict supportsDeviceAttend(mlir::func::FuncOp kernel);
mlir::FailureOr<KernelCode> emitDeviceAttend(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsDeviceLoops(mlir::func::FuncOp kernel);
mlir::FailureOr<KernelCode> emitDeviceLoops(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsDeviceGemm(mlir::func::FuncOp kernel);
mlir::FailureOr<KernelCode> emitDeviceGemm(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsDeviceRows(mlir::func::FuncOp kernel);
mlir::FailureOr<KernelCode> emitDeviceRows(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

} // namespace attnc
