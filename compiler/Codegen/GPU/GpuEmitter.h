//===- GpuEmitter.h - the emitter for NVIDIA devices, made of one family a kernel kind --------------------------===//
//
// One Emitter, "gpu", that hands a kernel to the family named by its `attn.kernel`. Formulas are evaluated by the
// RegionVectoriser, as on processors; what differs is who computes which point: threads of blocks take the place of
// chunks and sweeps (ThreadGroup.h). Kernels of other kinds than `attend`, `gemm`, `loops` and `rows` are refused.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

std::unique_ptr<Emitter> createGpuEmitter();

//===-------------------------------------------- families ----------------------------------------------------===//

Verdict supportsDeviceAttend(mlir::func::FuncOp kernel);
mlir::FailureOr<KernelCode> emitDeviceAttend(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsDeviceLoops(mlir::func::FuncOp kernel);
mlir::FailureOr<KernelCode> emitDeviceLoops(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsDeviceGemm(mlir::func::FuncOp kernel);
mlir::FailureOr<KernelCode> emitDeviceGemm(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsDeviceRows(mlir::func::FuncOp kernel);
mlir::FailureOr<KernelCode> emitDeviceRows(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

} // namespace attnc
