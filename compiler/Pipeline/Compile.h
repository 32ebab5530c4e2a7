//===- Compile.h - the compile as one function -------------------------------------------------------------------===//
//
//   model.attn -> parse -> check -> import -> raise -> derive -> fuse -> narrow
//              -> generate -> plan -> host -> lower -> optimise -> emit -> object
//
// compile() runs the phases of Phases.h in order on one file: a model (`.attn`), or a module as `import` leaves it
// (`.mlir`). It writes nothing but a reproducer, and that only where the fault is ours. A crash ends the process, with
// a reproducer too (compiler/Diagnostics/CrashNote.h).
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
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace attnc {

/// How kernels are called where not all entry points are compiled: as if there were no others, or as where all are,
/// which is how `explain` prints them.
enum class NamesOf { Entry, Model };

struct CompileOptions {
  std::string input;                                         ///< path of the file
  std::string target = "native";                             ///< see Target::resolve
  std::string prefix;                                        ///< of symbols; empty: made of the file's stem
  std::vector<std::pair<std::string, std::string>> settings; ///< hyperparameters and their values
  std::optional<WriterRequest> writer;                       ///< of a model (.attn): what will be called
  std::vector<std::string> entries;                          ///< what will be called; empty: all entry points
  std::string studied;                                       ///< the one entry point, see Derive/AttentionOverride.h
  std::optional<NamesOf> kernelNames;                        ///< of Entry or, beside overrides, of Model, unless said
  std::string weights;                                       ///< a .safetensors file to embed; empty: none
  bool allowExtra = false;                                   ///< tensors of it that are no parameters are left alone
  std::vector<Override> overrides;                           ///< later ones win
  std::string script;                                        ///< of the transform dialect; overrides win over it
  std::string tuning;                                        ///< a tuning database; empty: none
  NamedSizes at;                                             ///< sizes that memory is planned for
  std::optional<int64_t> memoryBudget;                       ///< bytes of each entry point's arena at those sizes
  std::optional<EmitterPreference> emitter;                  ///< who makes code for processors; it wins over overrides
  Precision precision = Precision::F32;                      ///< how tensors between kernels are stored
  bool debugLines = false;                                   ///< line tables in the object
  bool raises = true;                                        ///< attention in plain tensor code is made `attend`
  bool requireFused = false;                                 ///< a tensor of all pairs is an error
  bool records = true;                                       ///< the object keeps what it was made of (Emit/Record.h)
  bool numbersOps = false;                                   ///< see Compilation::opNumbers
  std::optional<Phase> dump;                                 ///< print what this phase made, and stop
  std::string reproducerDirectory = ".";
};

/// How a compile ended; the numbers are exit codes.
enum class Outcome { Done = 0, UserError = 1, InternalError = 2 };

/// What a compile made, as far as it went.
struct Compilation {
  Compilation();
  mlir::MLIRContext context;
  std::vector<std::string> inputs;                 ///< paths of all files that were read
  mlir::OwningOpRef<mlir::ModuleOp> module;        ///< kernels, and entry points that call them
  mlir::OwningOpRef<mlir::ModuleOp> code;          ///< what is generated; `lower` turns it into the llvm dialect
  mlir::OwningOpRef<mlir::ModuleOp> device;        ///< the kernels' part of that, where a device runs them
  std::vector<StorageChoice> storage;              ///< of bf16 and f16: which tensors are stored so, and which not
  std::string record;                              ///< the module that `generate` began with, as the object keeps it
  std::map<std::string, std::string> fingerprints; ///< of kernels, by name (KernelStructure.h)
  /// By entry point and kernel: the numbers of the imported ops that the kernel computes there, the same whatever is
  /// fused; where the options ask for them.
  std::map<std::string, std::map<std::string, std::set<int64_t>>> opNumbers;
  Program program;
  llvm::SmallVector<char, 0> object;
  std::string dump; ///< what the phase asked for made
};

/// Messages for the user go to `messages`.
Outcome compile(const CompileOptions &options, Compilation &compilation, llvm::raw_ostream &messages);

/// Compiles what an object keeps of its module (Emit/Record.h), whose context is that of `compilation`, from `generate`
/// on. `input` is for messages; `weights` is the content of its section of that name, empty where it has none. A phase
/// that fails is the object's fault: the module that it was made of has been compiled.
Outcome compileAgain(const std::string &input, RecordedModule recorded, llvm::StringRef weights,
                     Compilation &compilation, llvm::raw_ostream &messages);

/// A C identifier made of a file's stem: `gpt-2.attn` gives gpt_2.
std::string prefixOf(llvm::StringRef path);
/// Whether names with this prefix might be the runtime's, such as attn_run.
bool isOfRuntime(llvm::StringRef prefix);

} // namespace attnc
