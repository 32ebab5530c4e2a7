//===- CpuEmitter.h - code generator for kernels on processors ----------------------------------------------------===//
//
// The emitter "cpu" implements the interface Emitter (Interface/Emitter.h) for all processors. It has a family of code
// for each kind of kernel. The attribute `attn.kernel` of a kernel selects its family; the table in CpuEmitter.cpp has
// a row for each one. This header declares the functions that CpuEmitter.cpp calls. A family with such functions has a
// folder beside this header, where they are defined. The family of `pack` kernels has no folder: it uses
// Gemm/WeightPacking.h.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// A new emitter with the name "cpu". compiler/Emitters puts it into the list of emitters.
std::unique_ptr<Emitter> createCpuEmitter();

//===-------------------------------------------- families ----------------------------------------------------===//

// Emitter::supports and Emitter::emit for kernels of one kind. `supports...` returns yes, or the reason why the family
// has no code for the kernel. `emit...` requires that `supports...` returns yes. It appends the functions of all phases
// of the kernel to `code`, and records the chosen schedule on the kernel, except for scatter-adds, which have none. It
// returns the phases, their scratch and the cost, and fails only on an internal error.

Verdict supportsAttend(mlir::func::FuncOp kernel, const Target &target);
mlir::FailureOr<KernelCode> emitAttend(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsAttendGradient(mlir::func::FuncOp kernel, const Target &target);
/// Emitter::hasFastForm of these kernels: true if emitAttendGradient uses the tiled algorithm
/// (AttendGradientSchedule.h), false if it computes pair by pair (PairwiseGradient.h).
bool isTiledAttendGradient(mlir::func::FuncOp kernel);
mlir::FailureOr<KernelCode> emitAttendGradient(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsGemm(mlir::func::FuncOp kernel, const Target &target);
mlir::FailureOr<KernelCode> emitGemm(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsRows(mlir::func::FuncOp kernel, const Target &target);
mlir::FailureOr<KernelCode> emitRows(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

Verdict supportsLoops(mlir::func::FuncOp kernel, const Target &target);
mlir::FailureOr<KernelCode> emitLoops(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

} // namespace attnc
