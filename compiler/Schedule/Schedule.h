//===- Schedule.h - validation and application of schedule settings ---------------------------------------------===//
//
// The requested schedule of a kernel is its dictionary attribute `attn.schedule` (docs/architecture.md lists the keys
// of each kind of kernel). The emitter chooses a value for each absent key. People, files and tuners set values by name
// (Override.h).
//
// Every setting must name a kernel of the module, a key of its kind and a valid value of that key:
//
//   error: kernel `logits_atend_0` does not exist; did you mean `logits_attend_0`?
//   error: a gemm kernel has no `tile_kv` in its schedule; it has mr, nr, kc, mc, halide
//   error: `tile_q` is a multiple of 16 from 16 to 64 on this target, not `50`
//
// Codegen/Schedule/ScheduleKeys.h has the table of keys with their ranges. If the kernel's sizes rule out a valid
// value, the emitter may choose another one. It records its choices (ChosenSchedule.h), and the compile warns of the
// difference.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"
#include "compiler/Schedule/Override.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace attnc {

/// The kernel of that name; if there is none, an error that suggests a similar name.
llvm::Expected<mlir::func::FuncOp> findKernel(mlir::ModuleOp module, llvm::StringRef name);

/// Writes the settings into the schedules of the module's kernels; the last setting of a key counts. The width `nr` of
/// panels also changes the packing of the kernel's packed operands. An invalid setting is an error.
llvm::Error applySchedule(mlir::ModuleOp module, llvm::ArrayRef<Override> settings, const Target &target);

/// A sentence for each setting of an emitted kernel, except overruled ones, that the kernel does not follow, with the
/// reason if the emitter recorded one (recordDeclined). The settings must name kernels of the module.
std::vector<std::string> settingsNotHonoured(mlir::ModuleOp module, llvm::ArrayRef<Override> settings);

/// The schedule keys of a kind of kernel.
std::vector<std::string> scheduleKeys(KernelKind kind);
/// The keys of all kinds for which neighbours() is defined: all except free texts.
std::vector<std::string> keysWithNeighbours();
/// Valid values near `value` for a search: half, one step less, one step more, twice; or all other words. Empty for an
/// unknown key.
std::vector<std::string> neighbours(KernelKind kind, llvm::StringRef key, llvm::StringRef value, const Target &target);

/// Help text with one line for each key: kind of kernel, name, meaning, range.
std::string scheduleKeysText();

} // namespace attnc
