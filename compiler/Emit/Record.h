//===- Record.h - what an object keeps of its compile -------------------------------------------------------------===//
//
// An object holds, beside its code, what it was made of, so that `attnc verify` can make it again and check what it
// promises (docs/verify.md). That lies in two sections that are never loaded, and that linkers leave out of programs:
//
//   .attn.module       the module behind `narrow`, all that the phases from `generate` on read, as bytecode of MLIR;
//                      its attribute `attn.record` has the rest: a RecordedOptions
//   .attn.certificate  a text in JSON (Certificate.h)
//
// Files are named without their directories, unless the object has line tables: those have the directories too.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/EmitterPreference.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class Module;
}

namespace attnc {

inline constexpr llvm::StringLiteral moduleSection = ".attn.module";
inline constexpr llvm::StringLiteral certificateSection = ".attn.certificate";

/// What a compile is a function of, besides the module.
struct RecordedOptions {
  std::string target; ///< as Target::resolve takes it, wherever that is
  std::string prefix;
  std::vector<std::pair<std::string, int64_t>> at; ///< sizes that memory was planned for
  bool debugLines = false;
  std::string emitter = "auto"; ///< as emitterPreferenceNamed takes it
};

/// Of attnc, and of LLVM: objects of another compiler are other bytes.
llvm::StringRef compilerVersion();

/// The bytes of `.attn.module`.
mlir::FailureOr<std::string> recordModule(mlir::ModuleOp module, const RecordedOptions &options);

struct RecordedModule {
  std::string bytes; ///< what it was read from
  mlir::OwningOpRef<mlir::ModuleOp> module;
  RecordedOptions options;
};
/// Reads them; the error says what is wrong, as a phrase about the module.
llvm::Expected<RecordedModule> readModule(llvm::StringRef bytes, mlir::MLIRContext &context);

/// By this the certificate names the module that it is about.
std::string fingerprintOf(llvm::StringRef bytes);

/// Adds both sections to what becomes the object.
void addRecord(llvm::StringRef module, llvm::StringRef certificate, llvm::Module &code);

} // namespace attnc
