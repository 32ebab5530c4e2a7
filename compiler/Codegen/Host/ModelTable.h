//===- ModelTable.h - model table of an object --------------------------------------------------------------------===//
//
// Adds the constant `const attn_model <prefix>_model` of runtime/include/attn/model.h to the LLVM IR of a compiled
// model. Makes all functions outside of the model's interface internal, so that two models can be linked into one
// program.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"
#include "compiler/Codegen/Target/Target.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
}

namespace attnc {

/// Bytes of each loaded parameter to embed into the object; empty if none are embedded.
using EmbeddedWeights = std::vector<llvm::StringRef>;

/// Section of embedded weights: the values of each parameter that inference uses, in order, aligned to arenaAlignment.
/// Linkers place the section among other constants.
inline constexpr llvm::StringLiteral weightsSection = ".rodata.attn.weights";

/// Parses the contents of that section; an empty section has no weights. The error is a phrase about the section.
llvm::Expected<EmbeddedWeights> embeddedWeights(const ParameterTable &parameters, llvm::StringRef section);

void addModelTable(const Program &program, const EmbeddedWeights &embedded, const Target &host, llvm::Module &module);

} // namespace attnc
