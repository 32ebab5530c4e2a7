//===- ModelTable.h - the table of an object that describes the model ---------------------------------------------===//
//
// Adds the constant `const attn_model <prefix>_model` of runtime/include/attn/model.h to the LLVM IR of a compiled
// model. Makes all functions outside of the model's interface internal, so that two models can be linked into one
// program.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
}

namespace attnc {

/// Bytes of each loaded parameter to embed into the object; empty if none are embedded.
using EmbeddedWeights = std::vector<llvm::StringRef>;

/// Section of embedded weights: those of each parameter that is not for training only, in order, aligned to
/// arenaAlignment. Linkers place the section among other constants.
inline constexpr llvm::StringLiteral weightsSection = ".rodata.attn.weights";

/// Parses the content of that section; an empty section has no weights. The error is a phrase about the section.
llvm::Expected<EmbeddedWeights> embeddedWeights(const ParameterTable &parameters, llvm::StringRef section);

void addModelTable(const Program &program, const EmbeddedWeights &embedded, llvm::Module &module);

} // namespace attnc
