//===- Strategy.h - what the overrides of a compile are about -----------------------------------------------------===//
//
// An override (Override.h) is about a kernel, by its name; about all kernels of a kind; about a place in the source,
// `gpt.attn:41:9`, as `attnc explain --all` prints it, with or without directories; or about the whole `model`:
//
//   a kernel, a kind    emitter = cpu, halide        who makes its code; where that one does not take it, that is an
//                                                    error of a kernel, and of a kind the others take it
//                       mr, tile_q, ...              its schedule (Schedule.h)
//   a kernel, a place,  epilogue-fused = no, ...     what `explain` prints in brackets behind a fusion: it is not made
//   the model           attention-fused = no         scores of attention are a tensor
//                       fusion = none                no computation is fused
//   the model           emitter = auto, cpu, halide  as --emitter, which wins
//
// Fusions of a kernel are those that make it where nothing is refused, also where its name is another's afterwards.
// Names that there are not, and refusals that refuse nothing, are errors; but a refusal about the whole model may.
// Messages about what a file says begin with its name and line.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/RefusedFusions.h"
#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Codegen/Interface/EmitterPreference.h"
#include "compiler/Codegen/Target/Target.h"
#include "compiler/Schedule/Override.h"

namespace attnc {

/// "gpt.attn:41:9".
bool isPlace(llvm::StringRef what);
bool isEmitterOfModel(const Override &setting);
/// What is said of the whole model's emitter, if anything.
llvm::Expected<std::optional<EmitterPreference>> emitterOverride(llvm::ArrayRef<Override> overrides);

/// The overrides about fusions; an error where a word is wrong.
llvm::Expected<std::vector<FusionRefusal>> fusionOverrides(llvm::ArrayRef<Override> overrides);
/// Whether a refusal names something that is neither a place nor the model: a kernel, whose ops are to be found.
bool namesKernel(const FusionRefusal &refusal);
/// Fills in the ops of such kernels, by `fused`, the module with numbered ops that was fused without refusals.
llvm::Error findRefusedKernels(mlir::ModuleOp fused, std::vector<FusionRefusal> &refusals);
/// Every place of a refusal is one of the imported module.
llvm::Error checkPlaces(mlir::ModuleOp imported, llvm::ArrayRef<FusionRefusal> refusals);
/// An error where a refusal refused nothing.
llvm::Error checkHonoured(llvm::ArrayRef<FusionRefusal> refusals);

/// Says in kernels which emitter they are for. Gives a sentence on each override about a kind of which no kernel is
/// taken.
llvm::Expected<std::vector<std::string>> applyEmitters(mlir::ModuleOp module, llvm::ArrayRef<Override> overrides,
                                                       const Target &target,
                                                       llvm::ArrayRef<std::unique_ptr<Emitter>> emitters);

/// Of the overrides, those about the schedule of kernels, one for each kernel that they are about.
llvm::Expected<std::vector<Override>> scheduleOverrides(mlir::ModuleOp module, llvm::ArrayRef<Override> overrides);

} // namespace attnc
