//===- ModelTable.h - model table of an object --------------------------------------------------------------------===//
//
// Adds the constant `const attn_model <prefix>_model` of runtime/include/attn/model.h to the LLVM IR of a compiled
// model. Makes all functions internal but `run` and `arena_bytes` of each entry point, `prepare` and its arena_bytes
// (HostCode.h), so that two models can be linked into one program.
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

/// The values to embed into the object, by position in the parameter table of loaded parameters, each dense in its
/// type; empty for a state. An empty vector if none are embedded.
using EmbeddedWeights = std::vector<llvm::StringRef>;

/// Section of embedded weights: the values of each parameter that is not a state (of an optimizer, for example), in
/// order, aligned to arenaAlignment. Linkers place the section among other constants.
inline constexpr llvm::StringLiteral weightsSection = ".rodata.attn.weights";

/// Parses the contents of that section; an empty section has no weights. The error is a phrase about the section: "has
/// 64 bytes, ...". The result refers to `section`.
llvm::Expected<EmbeddedWeights> embeddedWeights(const ParameterTable &parameters, llvm::StringRef section);

/// Adds the table of `program` to `module`, which has its functions. Functions that a program may call before the
/// runtime has checked the processor are compiled for the baseline of `host` (arena_bytes, flops).
void addModelTable(const Program &program, const EmbeddedWeights &embedded, const Target &host, llvm::Module &module);

} // namespace attnc
