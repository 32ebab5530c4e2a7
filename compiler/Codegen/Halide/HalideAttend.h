//===- HalideAttend.h - kernels of attention by the Halide emitter ------------------------------------------------===//
//
// A kernel becomes a pipeline (ReadAttend.h), gets a tile (AttendTile.h), Halide compiles it (AttendBitcode.h), and a
// phase of ours calls its function (AttendPhase.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/AttendPhase.h"
#include "compiler/Codegen/Halide/Bitcode.h"

namespace attnc::halide {

/// What a kernel's schedule says of Halide: a tile as text, or a form.
inline constexpr llvm::StringLiteral attendTextKey = "halide", attendFormKey = "form";

struct PlannedAttend {
  KernelAttend read;
  AttendTile tile;
  std::string scheduleError; ///< what is wrong with the schedule that the kernel was given
};

std::optional<PlannedAttend> planAttend(mlir::func::FuncOp kernel, const Machine &machine, std::string &reason);
/// Whether the kernel's schedule wants Halide.
bool wantsHalide(mlir::func::FuncOp kernel);

mlir::FailureOr<KernelCode> emitAttendKernel(mlir::func::FuncOp kernel, const Target &target, const Machine &machine,
                                             mlir::ModuleOp code, PlannedAttend planned, std::string &error);

} // namespace attnc::halide
