//===- Job.h - state and error handling of one compile ----------------------------------------------------------===//
//
// A Job holds the state that the phases of compile() share: options, results, messages and the outcome. A user error
// prints a message with a source location. An internal error prints one line and writes a reproducer; so does a crash,
// which ends the process.
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

  Verdict verdict() const; ///< yes, or the reason of the last refusal
};

class Job {
public:
  Job(const CompileOptions &options, Compilation &made, llvm::raw_ostream &messages);

  const CompileOptions &options;
  Compilation &made;
  llvm::raw_ostream &messages;
  Target target;                ///< target of kernels
  Target host;                  ///< target of host code
  EmitterPreference preference; ///< preference among emitters for processors
  Emitters emitters;
  std::vector<Override> overrides; ///< overrides of the script, then overrides of the options
  std::vector<Override> schedule;  ///< schedule overrides, resolved to kernels
  llvm::StringRef embedded;        ///< weights embedded in an object, if no weights file is given
  Outcome outcome = Outcome::Done;
  bool isTrial = false;    ///< a trial run of phases, which suppresses warnings
  bool isRepeated = false; ///< compiles the record of an object: a failing phase means that the record is invalid

  /// The first emitter for the target that supports the kernel and is permitted to compile it (AskedEmitter.h). With
  /// `failed`, an emitter whose attempt failed, only emitters after it are tried.
  EmitterChoice emitterOf(mlir::func::FuncOp kernel, const Emitter *failed = nullptr) const;

  /// Sets the current phase; after one second of compile time, prints its name if stderr is a terminal.
  void begin(Phase phase);
  Phase current() const { return phase; }

  /// Report an error and return false, for `return job.userError(...)`. A userError message begins with a source
  /// location; a refuse message is about the command line or another file. `reason` is added to the reproducer.
  bool userError(const llvm::Twine &message);
  bool refuse(const llvm::Twine &message) { return userError("attnc: error: " + message); }
  bool internalError(llvm::StringRef reason = "");

  /// Prints warnings, except in a trial run.
  void warn(llvm::StringRef text);
  /// Warns that an emitter failed on a kernel (the last diagnostic of MLIR), and that emitter `by` compiles it instead.
  void warnTaken(const Emitter &by);

  /// Stores the current module, or another text, for a reproducer.
  void remember();
  void remember(std::string text);
  /// Whether `phase`, which has just ended, is the one to dump; if so, `print` fills the dump.
  bool dumps(Phase phase, llvm::function_ref<void(llvm::raw_ostream &)> print);
  /// All diagnostics of MLIR since the compile began.
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

/// The first "gpt.attn:31:14" in a location, or an empty text if the location has no file.
std::string placeOf(mlir::Location location);

} // namespace attnc
