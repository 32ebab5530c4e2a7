//===- Schedule.h - choices about a kernel that a person makes --------------------------------------------------===//
//
// A kernel's schedule is the dictionary `attn.schedule` (docs/architecture.md says what each kind of kernel has). What
// is absent the emitter chooses for its target, which it knows best; what is present wins. People, files and tuners set
// values by name (Override.h).
//
// Every setting must name a kernel of the module, a key of its kind and a value that the key can have:
//
//   error: kernel `logits_atend_0` does not exist; did you mean `logits_attend_0`?
//   error: a gemm kernel has no `tile_kv` in its schedule; it has mr, nr, kc, mc
//   error: `tile_q` is a multiple of 16 from 16 to 64 on this target, not `50`
//
// Schedule.cpp has the table of keys with their ranges. An emitter may still choose otherwise where the kernel's sizes
// leave no room; it writes what it chose into the kernel (ChosenSchedule.h), and the compile warns of the difference.
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

/// The kernel of that name; an error, which names the nearest, where there is none.
llvm::Expected<mlir::func::FuncOp> findKernel(mlir::ModuleOp module, llvm::StringRef name);

/// Writes the settings into the schedules of the module's kernels; later ones win. Changes nothing where one is wrong.
llvm::Error applySchedule(mlir::ModuleOp module, llvm::ArrayRef<Override> settings, const Target &target);

/// A sentence on each setting that a kernel, now that it has been emitted, does not have, with the reason where the
/// emitter gave one (recordDeclined).
std::vector<std::string> settingsNotHonoured(mlir::ModuleOp module, llvm::ArrayRef<Override> settings);

/// The keys of a kind.
std::vector<std::string> scheduleKeys(KernelKind kind);
/// Those of all kinds that have values beside another.
std::vector<std::string> keysWithNeighbours();
/// The values beside `value` that a key can have: half, twice, a step less and more, or the other words.
std::vector<std::string> neighbours(KernelKind kind, llvm::StringRef key, llvm::StringRef value, const Target &target);

/// A line on each key: kind of kernel, name, meaning, range.
std::string scheduleKeysText();

} // namespace attnc
