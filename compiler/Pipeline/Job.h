//===- Job.h - one compile under way ----------------------------------------------------------------------------===//
//
// What the steps of compile() share: options, results, messages, and how a step fails. A fault of the user is a message
// with a place; a fault of ours is one line for the user and a reproducer for us, and so is a crash, which ends the
// process.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Codegen/Interface/EmitterPreference.h"
#include "compiler/Diagnostics/CrashNote.h"
#include "compiler/Pipeline/Compile.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"

namespace attnc {

/// Who makes code of a kernel.
struct EmitterChoice {
  const Emitter *emitter = nullptr;
  std::vector<std::pair<std::string, std::string>> refusals; ///< emitters that were asked before, and their reasons

  Verdict verdict() const;
};

class Job {
public:
  Job(const CompileOptions &options, Compilation &made, llvm::raw_ostream &messages);

  const CompileOptions &options;
  Compilation &made;
  llvm::raw_ostream &messages;
  Target target;                ///< of the kernels
  Target host;                  ///< of the code between them
  EmitterPreference preference; ///< of these options, among emitters for processors
  Emitters emitters;
  std::vector<Override> overrides;             ///< those of the script, then those of the options
  std::vector<Override> schedule;              ///< those about schedules, by kernel
  llvm::StringRef embedded;                    ///< where there is no file: the weights of an object, as it has them
  Outcome outcome = Outcome::Done;
  bool isTrial = false;    ///< the phases run to see what comes of it: warnings are for later
  bool isRepeated = false; ///< of what an object says that it was made of: where a phase fails it was not

  /// The first emitter for the target that takes a kernel, and may have it (AskedEmitter.h);
  /// of those behind `failed`, where that could not after all.
  EmitterChoice emitterOf(mlir::func::FuncOp kernel, const Emitter *failed = nullptr) const;

  /// Names the phase that runs from here on; shows it where a compile takes long and somebody watches.
  void begin(Phase phase);
  Phase current() const { return phase; }

  /// All answer false, for `return job.userError(...)`. A message of userError begins with a place; one of refuse is
  /// about the command line or another file. The reproducer gives `reason` beside what MLIR reported.
  bool userError(const llvm::Twine &message);
  bool refuse(const llvm::Twine &message) { return userError("attnc: error: " + message); }
  bool internalError(llvm::StringRef reason = "");

  /// Shows warnings, which end nothing.
  void warn(llvm::StringRef text);
  /// Shows what MLIR reported last, that an emitter can't make a kernel, and who takes that.
  void warnTaken(const Emitter &by);

  /// Keeps the module as it is now, or another text, for a reproducer.
  void remember();
  void remember(std::string text);
  /// Is the phase that has just ended the one to print? Then `print` fills the dump.
  bool dumps(Phase phase, llvm::function_ref<void(llvm::raw_ostream &)> print);
  /// What MLIR reported since the compile began.
  const std::vector<std::string> &diagnostics() const { return reported; }

private:
  std::string failureMessage() const;
  std::string reproducerHead() const;
  std::string reproducerIn(llvm::StringRef directory) const;
  llvm::Expected<std::string> saveReproducer(llvm::StringRef directory);
  void updateCrashNote();

  Phase phase = Phase::Parse;
  std::string remembered;
  std::vector<std::string> reported;
  mlir::ScopedDiagnosticHandler handler;
  int64_t started;
  bool shown = false;
  CrashNote crashNote;
};

/// "gpt.attn:31:14", or nothing where a location names no file.
std::string placeOf(mlir::Location location);

} // namespace attnc
