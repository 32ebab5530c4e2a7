//===- Strategy.h - scopes, keys and validation of overrides ------------------------------------------------------===//
//
// The scope of an override (Override.h) is one of four: a kernel, by its name; all kernels of a kind; a source location
// `gpt.attn:41:9`, as printed by `attnc explain`, with or without directories; or the whole `model`. The scope decides
// which keys are valid:
//
//   scope                keys and values              effect
//   a kernel, a kind     emitter = cpu, halide        selects the emitter (on a device, only `gpu`). If it does not
//                                                     support the kernel, that is an error; in the scope of a kind,
//                                                     such kernels keep the emitter that they would have without the
//                                                     override
//                        mr, tile_q, ...              sets the schedule (Codegen/Schedule/ScheduleKeys.h)
//   a kernel, a source   epilogue-fused = no, ...     refuses one sort of fusion, by the key that `explain` prints in
//   location, the model                               brackets
//                        attention-fused = no         materialises the scores of attention
//                        fusion = none                refuses all fusions of computations; views have their own keys
//   the model            emitter = auto, cpu, halide  like --emitter, which takes precedence; an error on a device
//
// A refusal (FusionRefusal) is an override about fusions. A refusal by kernel name applies to the fusions that form the
// kernel of this name in a compile without refusals; in the resulting compile, another kernel may have this name. An
// unknown name is an error. A refusal that prevents no fusion is an error too, unless its scope is the model. Messages
// about an override begin with its origin, such as the strategy file and the line.
//
// The pipeline (Overrides.h, Compile.cpp) calls emitterOverride(), fusionOverrides(), checkPlaces(),
// findRefusedKernels(), checkHonoured(), applyEmitters() and scheduleOverrides() in this order. Each one ignores the
// overrides that are for another function.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/RefusedFusions.h"
#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Codegen/Interface/EmitterPreference.h"
#include "compiler/Codegen/Target/Target.h"
#include "compiler/Schedule/Override.h"

namespace attnc {

/// Whether the text has the form of a source location, FILE:LINE:COLUMN: "gpt.attn:41:9".
bool isPlace(llvm::StringRef what);
/// Whether an override with this key refuses fusions: `fusion`, or the id of a fusion.
bool isFusionKey(llvm::StringRef key);
/// Whether the scope is the model and the key is `emitter`.
bool isEmitterOfModel(const Override &setting);
/// The value of the last `model.emitter` override; null if there is none, an error if a value is invalid.
llvm::Expected<std::optional<EmitterPreference>> emitterOverride(llvm::ArrayRef<Override> overrides);

/// Converts the overrides about fusions to refusals, in order. FusionRefusal::ops stays empty. An error if the value is
/// invalid, or if the scope is a kind. Also an error for any override whose scope is a source location or the model, by
/// a key that this scope does not have.
llvm::Expected<std::vector<FusionRefusal>> fusionOverrides(llvm::ArrayRef<Override> overrides);
/// Whether the scope of a refusal is a kernel; findRefusedKernels() has to find the ops of this kernel.
bool namesKernel(const FusionRefusal &refusal);
/// Sets `ops` of each refusal whose scope is a kernel: the numbers (numberOps) of all ops of the kernel of this name in
/// `fused`. The module `fused` must have numbered ops and must have been fused without refusals. An error if there is
/// no such kernel, or if a refusal of all fusions or of fused attention names the gradient of attention.
llvm::Error findRefusedKernels(mlir::ModuleOp fused, std::vector<FusionRefusal> &refusals);
/// An error if `imported`, the module after import, has no op at the source location of a refusal.
llvm::Error checkPlaces(mlir::ModuleOp imported, llvm::ArrayRef<FusionRefusal> refusals);
/// Called after fuse. An error if a refusal has prevented no fusion (FusionRefusal::isHonoured) and its scope is not
/// the model.
llvm::Error checkHonoured(llvm::ArrayRef<FusionRefusal> refusals);

/// For each override of `emitter` in the scope of a kernel or a kind, in order: sets `attn.emitter`
/// (RequestedEmitter.h) of the kernels of this scope that the named emitter supports. A later override replaces an
/// earlier one. `emitters` are all emitters of the compile. Returns a sentence for each override about a kind if the
/// named emitter supports no kernel of this kind. Errors: an override that names a kernel which the emitter does not
/// support, a name of no emitter for `target`, an unknown kernel, and a kind that has no kernel in the module. On an
/// error, the kernels of earlier overrides are already changed.
llvm::Expected<std::vector<std::string>> applyEmitters(mlir::ModuleOp module, llvm::ArrayRef<Override> overrides,
                                                       const Target &target,
                                                       llvm::ArrayRef<std::unique_ptr<Emitter>> emitters);

/// The overrides about schedules, as settings for applySchedule() (Schedule.h): an override about a kind becomes one
/// override for each kernel of this kind. Keys and values are not checked. An error if a kernel is unknown or if a kind
/// has no kernel in the module. Requires that fusionOverrides() has accepted the overrides with other scopes.
llvm::Expected<std::vector<Override>> scheduleOverrides(mlir::ModuleOp module, llvm::ArrayRef<Override> overrides);

} // namespace attnc
