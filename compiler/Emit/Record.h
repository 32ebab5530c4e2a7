//===- Record.h - the compile record of an object -----------------------------------------------------------------===//
//
// An object contains its compile's input, so that `attnc verify` can repeat the compile and check the certificate
// (docs/verify.md). The record has two sections that are never loaded, and that linkers drop:
//
//   .attn.module       the module after `narrow`, which is all that the phases from `generate` on read, as MLIR
//                      bytecode; its attribute `attn.record` has the other inputs: a RecordedOptions
//   .attn.certificate  a JSON text (Certificate.h)
//
// File names have no directories, unless the object has line tables.
//
//===--------------------------------------------------------------------------------------------------------------===//
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

/// Inputs of a compile besides the module.
struct RecordedOptions {
  std::string target;                              ///< argument of Target::resolve, on any machine
  std::string prefix;                              ///< of the object's symbols
  std::vector<std::pair<std::string, int64_t>> at; ///< sizes for which memory was planned
  bool debugLines = false;
  std::string emitter = "auto"; ///< argument of emitterPreferenceNamed
};

/// Versions of attnc and LLVM: another compiler generates other bytes.
llvm::StringRef compilerVersion();

/// The bytes of `.attn.module`: `module` without its decisions, with `options` as an attribute. `module` is unchanged.
mlir::FailureOr<std::string> recordModule(mlir::ModuleOp module, const RecordedOptions &options);

/// A parsed section `.attn.module`.
struct RecordedModule {
  std::string bytes; ///< the content of the section
  mlir::OwningOpRef<mlir::ModuleOp> module;
  RecordedOptions options;
};
/// Parses the section; the error is a phrase about the module: "it can't be read: ...".
llvm::Expected<RecordedModule> readModule(llvm::StringRef bytes, mlir::MLIRContext &context);

/// The fingerprint by which a certificate identifies its module: 32 hexadecimal digits, a hash of the section's
/// content.
std::string fingerprintOf(llvm::StringRef bytes);

/// Adds both sections, with the contents `module` and `certificate`, to the LLVM module of the object.
void addRecord(llvm::StringRef module, llvm::StringRef certificate, llvm::Module &code);

} // namespace attnc
