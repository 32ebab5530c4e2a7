//===- Record.h - the compile record of an object -----------------------------------------------------------------===//
//
// An object contains the input of the phases from `generate` on, so that `attnc verify` can repeat these phases and
// check the certificate (docs/verify.md). The record consists of two sections that are never loaded, and that linkers
// drop:
//
//   .attn.module       the module after `narrow`, as MLIR bytecode; its attribute `attn.record` has the other inputs of
//                      these phases, the RecordedOptions
//   .attn.certificate  a JSON text (Certificate.h)
//
// Both sections are compressed: a section consists of the size of its content, 8 bytes with the lowest first, and the
// content as a zlib stream.
//
// File names in source locations have no directories, unless the object has line tables.
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

/// Inputs of the phases from `generate` on besides the module.
struct RecordedOptions {
  std::string target;                              ///< argument of Target::resolve that means the same on any machine
  std::string prefix;                              ///< of the object's symbols
  std::vector<std::pair<std::string, int64_t>> at; ///< dimensions and their sizes, for which memory is planned
  bool debugLines = false;                         ///< the object has line tables (-g)
  std::string emitter = "auto";                    ///< argument of emitterPreferenceNamed
};

/// Versions of attnc and LLVM, such as "0.1.0 (LLVM 22.1.8)". Another version may generate other bytes.
llvm::StringRef compilerVersion();

/// The content of `.attn.module`: a copy of `module` without its decisions, with `options` as an attribute. If
/// `options.at` has several sizes of a dimension, the last counts. Fails if the bytecode cannot be written.
mlir::FailureOr<std::string> recordModule(mlir::ModuleOp module, const RecordedOptions &options);

/// A parsed section `.attn.module`.
struct RecordedModule {
  std::string bytes; ///< the content of the section
  mlir::OwningOpRef<mlir::ModuleOp> module;
  RecordedOptions options;
};
/// Parses the content of the section; `context` must have the dialects. The attribute `attn.record` becomes `options`,
/// and is removed from the module. The error is a phrase about the module: "it can't be read: ...". MLIR's reader may
/// crash on bytes that are no bytecode, so the caller prepares a CrashNote, and a large stack.
llvm::Expected<RecordedModule> readModule(llvm::StringRef bytes, mlir::MLIRContext &context);

/// The fingerprint by which a certificate identifies its module: a 128-bit hash of `bytes`, the content of
/// `.attn.module`, as 32 hexadecimal digits.
std::string fingerprintOf(llvm::StringRef bytes);

/// The content of a compressed section. The error is a phrase: "can't be decompressed". The memory that it allocates is
/// bounded by the size of the section.
llvm::Expected<std::string> decompressed(llvm::StringRef section);

/// Adds both sections, with the contents `module` and `certificate`, to the LLVM module of the object.
void addRecord(llvm::StringRef module, llvm::StringRef certificate, llvm::Module &code);

} // namespace attnc
