//===- Strategy.h - scopes, keys and validation of overrides ------------------------------------------------------===//
//
// The scope of an override (Override.h) is a kernel, by name; all kernels of a kind; a source location
// `gpt.attn:41:9`, as printed by `attnc explain`, with or without directories; or the whole `model`:
//
//   a kernel, a kind    emitter = cpu, halide        the emitter. If it does not support the kernel, that is an error;
//                                                    for a kind, unsupported kernels go to another emitter
//                       mr, tile_q, ...              its schedule (Codegen/Schedule/ScheduleKeys.h)
//   a kernel, a         epilogue-fused = no, ...     refuses a fusion, by the key that `explain` prints in brackets
//   location, the       attention-fused = no         materialises the scores of attention
//   model               fusion = none                refuses all fusions
//   the model           emitter = auto, cpu, halide  like --emitter, which takes precedence
//
// A refusal by kernel name applies to the fusions that form the kernel of this name in a compile without refusals. With
// the refusal, another kernel may have the name. An unknown name is an error, and so is a refusal that refuses nothing,
// unless its scope is the model. Messages about a line of a file begin with the file's name and the line number.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/RefusedFusions.h"
#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Codegen/Interface/EmitterPreference.h"
#include "compiler/Codegen/Target/Target.h"
#include "compiler/Schedule/Override.h"

namespace attnc {

/// Whether the text is a source location: "gpt.attn:41:9".
bool isPlace(llvm::StringRef what);
/// Whether the override is `model.emitter`.
bool isEmitterOfModel(const Override &setting);
/// The emitter preference of the last `model.emitter` override, if there is one.
llvm::Expected<std::optional<EmitterPreference>> emitterOverride(llvm::ArrayRef<Override> overrides);

/// The overrides about fusions as refusals, without the ops of kernels; an error if a key or value is invalid.
llvm::Expected<std::vector<FusionRefusal>> fusionOverrides(llvm::ArrayRef<Override> overrides);
/// Whether the scope of a refusal is a kernel, whose ops findRefusedKernels() has to look up.
bool namesKernel(const FusionRefusal &refusal);
/// Fills in the ops of these kernels from `fused`, a module with numbered ops that was fused without refusals.
llvm::Error findRefusedKernels(mlir::ModuleOp fused, std::vector<FusionRefusal> &refusals);
/// Checks that the source location of every refusal has an op in the imported module.
llvm::Error checkPlaces(mlir::ModuleOp imported, llvm::ArrayRef<FusionRefusal> refusals);
/// An error if a refusal, other than one about the model, refused nothing.
llvm::Error checkHonoured(llvm::ArrayRef<FusionRefusal> refusals);

/// Sets the attribute `attn.emitter` of kernels that the emitter of an override supports. Returns a sentence for each
/// override about a kind whose emitter supports no kernel of that kind; for a named kernel that is an error.
llvm::Expected<std::vector<std::string>> applyEmitters(mlir::ModuleOp module, llvm::ArrayRef<Override> overrides,
                                                       const Target &target,
                                                       llvm::ArrayRef<std::unique_ptr<Emitter>> emitters);

/// The overrides about schedules, with each override about a kind replaced by one for each kernel of the kind.
llvm::Expected<std::vector<Override>> scheduleOverrides(mlir::ModuleOp module, llvm::ArrayRef<Override> overrides);

} // namespace attnc
