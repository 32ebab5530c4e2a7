//===- Compile.h - the compiler driver ----------------------------------------------------------------------------===//
//
//   model.attn -> parse -> check -> import -> raise -> derive -> fuse -> narrow
//              -> generate -> plan -> host -> lower -> optimise -> emit -> object
//
// compile() runs the phases of Phases.h in order on one file: a model (`.attn`), or a module in the form that `import`
// produces (`.mlir`). The results, such as the object, are in memory. It writes no file, except a reproducer on an
// internal error or a crash; a crash ends the process (compiler/Diagnostics/CrashNote.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/ModelTable.h"
#include "compiler/Codegen/Host/Program.h"
#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Codegen/Interface/EmitterPreference.h"
#include "compiler/Codegen/Target/Target.h"
#include "compiler/Emit/Record.h"
#include "compiler/Narrow/Narrow.h"
#include "compiler/Narrow/Precision.h"
#include "compiler/Pipeline/Phases.h"
#include "compiler/Schedule/Override.h"
#include "frontends/attn/Check/Options.h"
#include "frontends/checkpoint/FineTuning.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace attnc {

/// Names of kernels if only some entry points are compiled. Entry: numbered among the kernels of these entry points.
/// Model: the names that a compile of the whole model gives them, which `attnc explain` prints.
enum class NamesOf { Entry, Model };

struct CompileOptions {
  std::string input;                                         ///< path of the input file, or of a checkpoint's folder
  std::string target = "native";                             ///< see Target::resolve
  std::string prefix;                                        ///< prefix of symbols; empty: the file's stem
  std::vector<std::pair<std::string, std::string>> settings; ///< hyperparameters and their values
  FineTuning fineTuning;                                     ///< for a checkpoint's folder
  std::optional<WriterRequest> writer;                       ///< derive and compile an entry point that writes tokens
  bool streams = false;                                      ///< add the resumed loops of samplers, see ResumedNames.h
  std::vector<std::string> entries;                          ///< to compile without `writer`; empty or unknown: all
  std::string studied;                                       ///< entry point to study, see Derive/AttentionOverride.h
  std::optional<NamesOf> kernelNames;                        ///< default: Model with overrides or script, else Entry
  std::vector<std::string> weights;                          ///< weights to embed (WeightsFiles.h); empty: none
  bool allowExtra = false;                                   ///< ignore tensors of `weights` that are no parameters
  std::vector<Override> overrides;                           ///< later overrides win
  std::string script;                                        ///< path of a transform script; overrides win over it
  std::string tuning;                                        ///< a tuning database; empty: none
  NamedSizes at;                                             ///< sizes that memory is planned for
  std::optional<int64_t> memoryBudget;                       ///< bytes of each entry point's arena at those sizes
  std::optional<EmitterPreference> emitter;                  ///< emitter for processors; precedes overrides
  Precision precision = Precision::F32;                      ///< storage type of tensors between kernels
  bool debugLines = false;                                   ///< line tables in the object; an error for devices
  bool raises = true;                                        ///< run the phase `raise`
  bool requireFused = false;                                 ///< an all-pairs tensor in memory is an error
  bool records = true;                                       ///< store the compile record in the object (Emit/Record.h)
  bool numbersOps = false;                                   ///< see Compilation::opNumbers
  std::string cache;                                         ///< folder of an ObjectCache; empty: none
  bool objectAlone = false;  ///< of the results after import, only Compilation::object is needed: with a cache, the
                             ///< phases after import do not run if the cache has the object of an equal compile
  std::optional<Phase> dump; ///< store the result of this phase as text, and stop
  std::string reproducerDirectory = ".";
};

/// How a compile ended; the numbers are exit codes of the process.
enum class Outcome { Done = 0, UserError = 1, InternalError = 2 };

/// Results of a compile. The results of phases after the one where the compile ended are empty.
struct Compilation {
  Compilation();
  mlir::MLIRContext context;
  std::vector<std::string> inputs;                 ///< paths of the input file and of the files that it imports
  mlir::OwningOpRef<mlir::ModuleOp> module;        ///< kernels, and entry points that call them
  mlir::OwningOpRef<mlir::ModuleOp> code;          ///< generated code; `lower` converts it to the llvm dialect
  mlir::OwningOpRef<mlir::ModuleOp> device;        ///< kernel code, if the target is a device
  std::vector<StorageChoice> storage;              ///< for bf16 and f16, tensors stored in 16 bits or not
  std::string record;                              ///< compile record: the serialised input of `generate`
  std::map<std::string, std::string> fingerprints; ///< fingerprint by kernel name (KernelStructure.h)
  /// By entry point and kernel: the numbers of the imported ops that the kernel computes there. The numbers do not
  /// depend on fusion decisions. Filled if CompileOptions::numbersOps is set.
  std::map<std::string, std::map<std::string, std::set<int64_t>>> opNumbers;
  Program program;
  llvm::SmallVector<char, 0> object;
  std::string dump; ///< text of the phase that CompileOptions::dump names
};

/// Compiles the file `options.input`, and fills `compilation`, which must be new. Prints errors and warnings, with
/// source locations, to `messages`.
Outcome compile(const CompileOptions &options, Compilation &compilation, llvm::raw_ostream &messages);

/// Recompiles the compile record of an object (Emit/Record.h), from `generate` on. The recorded module must belong to
/// the context of `compilation`. `input` names the object in messages; `weights` is the content of its weights section,
/// or empty. If a phase fails, the object is reported as invalid (UserError): the module that it was compiled from has
/// passed all phases.
Outcome compileAgain(const std::string &input, RecordedModule recorded, llvm::StringRef weights,
                     Compilation &compilation, llvm::raw_ostream &messages);

} // namespace attnc
