//===- Schedule.h - validation and application of schedule overrides ----------------------------------------------===//
//
// The requested schedule of a kernel is its dictionary attribute `attn.schedule` (docs/architecture.md lists the keys
// of each kind of kernel). The emitter chooses a value for each absent key. A setting, in this header, is an override
// (Override.h) of one key for one kernel: `what` is the kernel's name. Settings come from the command line, from
// strategies and from tuning databases. The pipeline applies them at the end of the phase fuse.
//
// Every setting must name a kernel of the module, a key of its kind and a valid value of that key:
//
//   error: kernel `logits_atend_0` does not exist; did you mean `logits_attend_0`?
//   error: a gemm kernel has no `tile_kv` in its schedule; it has mr, nr, kc, mc, halide
//   error: `tile_q` is a multiple of 16 from 16 to 64 on this target, not `50`
//
// Codegen/Schedule/ScheduleKeys.h has the table of keys with their ranges. If the kernel's sizes rule out a valid
// value, the emitter may choose another value. The emitter records its choices (ChosenSchedule.h), and the compile
// warns of each setting that the choice does not follow, unless the setting comes from a tuning database.
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

/// The kernel called `name`; if the module has none, an error that suggests a similar name, if there is one.
llvm::Expected<mlir::func::FuncOp> findKernel(mlir::ModuleOp module, llvm::StringRef name);

/// Writes the settings into `attn.schedule` of the kernels; the last setting of a key takes precedence. A setting of
/// `nr`, the columns of a panel, also changes the packing (PanelPacking.h) of the kernel's packed arguments and of the
/// `pack` kernel that packs one. An invalid setting is an error, and then the module is unchanged. If `nr` does not
/// divide the columns that a `pack` kernel packs, the result is an error too, after this and earlier settings were
/// written to `attn.schedule`.
llvm::Error applySchedule(mlir::ModuleOp module, llvm::ArrayRef<Override> settings, const Target &target);

/// Called after the kernels are emitted. Returns a sentence for each setting whose value is not the recorded choice of
/// the kernel, with the reason if one is recorded (recordDeclined). A setting is omitted if a later one has the same
/// kernel and key. The settings must name kernels of the module.
std::vector<std::string> settingsNotHonoured(mlir::ModuleOp module, llvm::ArrayRef<Override> settings);

/// The names of the schedule keys of a kind of kernel.
std::vector<std::string> scheduleKeys(KernelKind kind);
/// The names of all keys for which neighbours() returns values: of every kind of kernel, each once, without the keys
/// that have any text as value.
std::vector<std::string> keysWithNeighbours();
/// Valid values near `value`, without `value`, from which the search of `attnc tune` continues. For a number: half,
/// one unit less, one unit more and twice, each in whole units (ScheduleKey::unit) and if in the range. For a word: all
/// other words of the key. Empty for an unknown key, for a key with any text, and for a key with numbers if `value` is
/// not a number.
std::vector<std::string> neighbours(KernelKind kind, llvm::StringRef key, llvm::StringRef value, const Target &target);

/// The part of the help text about schedules. Each line begins with a line break and has the kind of kernel, the key,
/// its meaning and its range; vectors of a range are not converted to elements.
std::string scheduleKeysText();

} // namespace attnc
