//===- Schedule.h - choices about a kernel that a person makes --------------------------------------------------===//
//
// A kernel's schedule is the dictionary `attn.schedule` (docs/architecture.md says what each kind of kernel has). What
// is absent the emitter chooses for its target, which it knows best; what is present wins. People, files and tuners set
// values by name, on the command line or in a file with one setting a line and `#` before comments:
//
//   --schedule logits_attend_0.tile_kv=128
//   --schedule-file gpt.schedule              logits_attend_0.tile_kv = 128     # fits the first cache
//                                             logits_gemm_1.mr = 6
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

#include "compiler/Codegen/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace attnc {

struct ScheduleSetting {
  std::string kernel, key, value;
  bool operator==(const ScheduleSetting &) const = default;
};

/// "kernel.key=value".
llvm::Expected<ScheduleSetting> parseScheduleSetting(llvm::StringRef text);
/// The settings of a file's text; errors name `path` and the line.
llvm::Expected<std::vector<ScheduleSetting>> parseScheduleFile(llvm::StringRef path, llvm::StringRef text);

/// Writes the settings into the schedules of the module's kernels; later ones win. Changes nothing where one is wrong.
llvm::Error applySchedule(mlir::ModuleOp module, llvm::ArrayRef<ScheduleSetting> settings, const Target &target);

/// A sentence on each setting that a kernel, now that it has been emitted, does not have.
std::vector<std::string> settingsNotHonoured(mlir::ModuleOp module, llvm::ArrayRef<ScheduleSetting> settings);

/// A line on each key: kind of kernel, name, meaning, range.
std::string scheduleKeysText();

} // namespace attnc
