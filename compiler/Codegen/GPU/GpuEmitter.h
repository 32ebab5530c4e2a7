//===- GpuEmitter.h - the emitter for NVIDIA devices, with a family for each kernel kind --------------------------===//
//
// The emitter "gpu" passes each kernel to the family for its kind (`attn.kernel`): attend, gemm, rows or loops. It does
// not support kernels of other kinds. GpuEmitter.cpp has the table of families. As on processors, the RegionVectoriser
// generates the code of formulas. The distribution of work differs: a thread block computes a chunk, and thread groups
// (ThreadGroup.h) replace vectorised sweeps. Devices have no schedule keys: requested schedules (`attn.schedule`) are
// ignored, and the recorded schedule is empty.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// Creates the emitter. Its code runs on targets with `isDevice` only (Emitter::makesCodeFor).
std::unique_ptr<Emitter> createGpuEmitter();

//===-------------------------------------------- families ----------------------------------------------------===//

// GpuEmitter.cpp calls the two functions of a family for kernels of its kind. They have the contracts of
// Emitter::supports and Emitter::emit: the first returns yes or the reason against it, and the second appends the
// functions of the kernel phases to the device's module `code`. It requires that the first returns yes. It also records
// the algorithms of the code on the kernel (KernelForms.h).

Verdict supportsDeviceAttend(mlir::func::FuncOp kernel);
mlir::FailureOr<KernelCode> emitDeviceAttend(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsDeviceLoops(mlir::func::FuncOp kernel);
mlir::FailureOr<KernelCode> emitDeviceLoops(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsDeviceGemm(mlir::func::FuncOp kernel);
mlir::FailureOr<KernelCode> emitDeviceGemm(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsDeviceRows(mlir::func::FuncOp kernel);
mlir::FailureOr<KernelCode> emitDeviceRows(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

} // namespace attnc
