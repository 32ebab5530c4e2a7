//===- Job.h - state and error handling of one compile ------------------------------------------------------------===//
//
// A Job holds the state that the phases of one compile() share: options, results, messages and the outcome. For a user
// error, a phase prints a message with a source location. For an internal error, the Job prints that the compiler
// failed and writes a reproducer, a file with a module and the phase that failed on it. A crash does the same, and ends
// the process.
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

/// The emitter of a kernel, and the emitters that refused the kernel.
struct EmitterChoice {
  const Emitter *emitter = nullptr;                          ///< null if no emitter supports the kernel
  std::vector<std::pair<std::string, std::string>> refusals; ///< emitters tried earlier, and their reasons

  Verdict verdict() const; ///< yes, or the reason of the last refusal; without one, that the target has no emitter
};

/// The state of one compile. While it exists, it collects the diagnostics of the compilation's MLIR context.
class Job {
public:
  /// All arguments must outlive the job. compile() sets the targets afterwards.
  Job(const CompileOptions &options, Compilation &made, llvm::raw_ostream &messages);

  const CompileOptions &options;
  Compilation &made; ///< the results
  llvm::raw_ostream &messages;
  Target target;                ///< target of kernels: a processor or a device
  Target host;                  ///< target of host code: a processor
  EmitterPreference preference; ///< among emitters for processors; with 16-bit storage Cpu instead of Auto
  Emitters emitters;
  std::vector<Override> overrides; ///< overrides of the script, then overrides of the options
  std::vector<Override> schedule;  ///< schedule overrides, resolved to kernels
  llvm::StringRef embedded;        ///< content of the weights section of the object that is recompiled, or empty
  Outcome outcome = Outcome::Done;
  bool isTrial = false;    ///< a trial run of phases, which suppresses warnings
  std::string warnings;    ///< all texts of warn(), since the lookup of an equal compile (CachedObject.h)
  bool isRepeated = false; ///< compiles the record of an object: a failing phase means that the record is invalid

  /// The first emitter for the target that supports the kernel and is permitted to compile it (RequestedEmitter.h).
  /// With `failed`, an emitter whose attempt failed, only emitters after it are tried.
  EmitterChoice emitterOf(mlir::func::FuncOp kernel, const Emitter *failed = nullptr) const;

  /// Sets the current phase, also for the message and the reproducer of a crash. After one second of compile time,
  /// prints its name if stderr is a terminal.
  void begin(Phase phase);
  Phase current() const { return phase; }

  /// These three report an error, set the outcome and return false, for `return job.userError(...)`. The message of
  /// userError() begins with a source location.
  bool userError(const llvm::Twine &message);
  /// A user error in the command line or in a file other than the model.
  bool refuse(const llvm::Twine &message) { return userError("attnc: error: " + message); }
  /// Also writes a reproducer, with `reason` among its comments, in the working directory if that is impossible in
  /// CompileOptions::reproducerDirectory. If isRepeated, reports a user error without a reproducer.
  bool internalError(llvm::StringRef reason = "");

  /// Prints `text`, complete lines with one or more warnings, except in a trial run.
  void warn(llvm::StringRef text);
  /// Warns that an emitter failed on a kernel (the last of diagnostics()), and that emitter `by` compiles it instead.
  void warnTaken(const Emitter &by);

  /// Stores the current module, or another text, as the content of a reproducer.
  void remember();
  void remember(std::string text);
  llvm::StringRef remembered() const { return content; }
  /// True if `phase`, which has just ended, is the one to dump (CompileOptions::dump). `print` then writes the dump to
  /// Compilation::dump.
  bool dumps(Phase phase, llvm::function_ref<void(llvm::raw_ostream &)> print);
  /// All diagnostics of MLIR since the compile began, as "gpt.attn:31:14: error: ...".
  const std::vector<std::string> &diagnostics() const { return reported; }

private:
  std::string failureMessage() const;
  std::string reproducerHead() const;
  std::string reproducerIn(llvm::StringRef directory) const;
  llvm::Expected<std::string> saveReproducer(llvm::StringRef directory);
  void updateCrashNote();

  Phase phase = Phase::Parse;
  std::string content; ///< of a reproducer
  std::vector<std::string> reported;
  mlir::ScopedDiagnosticHandler handler;
  int64_t started;
  bool shown = false;
  CrashNote crashNote;
};

/// The first "gpt.attn:31:14" in a location, or an empty text if the location has no file.
std::string placeOf(mlir::Location location);

} // namespace attnc
