//===- ModelTable.h - the table by which an object describes itself ---------------------------------------------===//
//
// Adds to the LLVM IR of a compiled model the constant `const attn_model <prefix>_model` of
// runtime/include/attn/model.h, and makes every function that is not part of the model's interface internal, so that
// two models link into one program.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
}

namespace attnc {

/// Bytes of each loaded parameter place, to be kept inside the object; empty: none are.
using EmbeddedWeights = std::vector<llvm::StringRef>;

/// Where an object keeps them: those of each parameter that is not of training alone, in order, at a multiple of
/// arenaAlignment. Linkers put the section among other constants.
inline constexpr llvm::StringLiteral weightsSection = ".rodata.attn.weights";

/// The weights in the content of that section; none in an empty one. The error says what is wrong with the section, as
/// a phrase about it.
llvm::Expected<EmbeddedWeights> embeddedWeights(const ParameterTable &parameters, llvm::StringRef section);

void addModelTable(const Program &program, const EmbeddedWeights &embedded, llvm::Module &module);

} // namespace attnc
