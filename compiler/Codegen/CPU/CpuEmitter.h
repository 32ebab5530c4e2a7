//===- CpuEmitter.h - the emitter for processors, with a family for each kernel kind ------------------------------===//
//
// The emitter "cpu" passes each kernel to the family of its `attn.kernel`. The functions of a family are below, and its
// code is in a folder of its own. The table in CpuEmitter.cpp has a row for each family; that of `pack` kernels uses
// Gemm/WeightPacking.h.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

std::unique_ptr<Emitter> createCpuEmitter();

//===-------------------------------------------- families ----------------------------------------------------===//

// Emitter::supports, emit and hasFastForm for kernels of one kind. `emit...` requires that `supports...` holds.

Verdict supportsAttend(mlir::func::FuncOp kernel, const Target &target);
mlir::FailureOr<KernelCode> emitAttend(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsAttendGradient(mlir::func::FuncOp kernel, const Target &target);
/// Whether the kernel is emitted by the tiled algorithm (AttendGradientSchedule.h), not pair by pair.
bool isTiledAttendGradient(mlir::func::FuncOp kernel);
mlir::FailureOr<KernelCode> emitAttendGradient(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsGemm(mlir::func::FuncOp kernel, const Target &target);
mlir::FailureOr<KernelCode> emitGemm(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsRows(mlir::func::FuncOp kernel, const Target &target);
mlir::FailureOr<KernelCode> emitRows(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsLoops(mlir::func::FuncOp kernel, const Target &target);
mlir::FailureOr<KernelCode> emitLoops(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

} // namespace attnc
