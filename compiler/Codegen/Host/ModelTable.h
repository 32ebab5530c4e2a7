//===- ModelTable.h - the table by which an object describes itself ---------------------------------------------===//
//
// Adds to the LLVM IR of a compiled model the constant `const attn_model <prefix>_model` of
// runtime/include/attn/model.h, and makes every function that is not part of the model's interface internal, so that
// two models link into one program.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"

namespace llvm {
class Module;
}

namespace attnc {

/// Bytes of each loaded parameter place, to be kept inside the object; empty: none are.
using EmbeddedWeights = std::vector<llvm::StringRef>;

void addModelTable(const Program &program, const EmbeddedWeights &embedded, llvm::Module &module);

} // namespace attnc
