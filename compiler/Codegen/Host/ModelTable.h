//===- ModelTable.h - model table: the description of a model in its object ---------------------------------------===//
//
// Adds the constant `const attn_model <prefix>_model` of runtime/include/attn/model.h to the LLVM IR of a compiled
// model. The runtime reads entry points, parameters, kernels and device code from this table. Two models can be linked
// into one program: of the object's functions, only `run` and `arena_bytes` of each entry point, `prepare` and its
// arena_bytes (HostCode.h) remain external.
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

/// The values of parameters to embed into the object. Element n is the bytes of position n of the parameter table,
/// below ParameterTable::loadedCount: row-major, in the stored type. The element is empty if the parameter is a state,
/// such as one of an optimizer. The vector is empty if nothing is embedded. The bytes belong to the creator of the
/// vector.
using EmbeddedWeights = std::vector<llvm::StringRef>;

/// Name of the object's section of embedded weights. The section has the values of each parameter that is not a state,
/// in the order of ParameterTable::loaded. The elements of a list are contiguous; each parameter starts at a multiple
/// of arenaAlignment bytes. Linkers place the section among other constants.
inline constexpr llvm::StringLiteral weightsSection = ".rodata.attn.weights";

/// Parses the contents of the section `weightsSection` of an object. An empty `section` results in an empty vector. A
/// section of the wrong length is an error, whose message continues "section .rodata.attn.weights": "has 64 bytes,
/// ...". The result refers to the bytes of `section`.
llvm::Expected<EmbeddedWeights> embeddedWeights(const ParameterTable &parameters, llvm::StringRef section);

/// Adds the table of `program`, with the values `embedded`, to `module`, the LLVM IR of the host's code, which has the
/// functions of emitHostCode. Requires the device images of the program, and precedes optimise(). Makes all functions
/// internal but those named above. Programs may call arena_bytes, flops and prepare_arena_bytes before the runtime has
/// checked the processor, so these functions are compiled for the baseline processor of the architecture of `host`, the
/// target of the host's code.
void addModelTable(const Program &program, const EmbeddedWeights &embedded, const Target &host, llvm::Module &module);

} // namespace attnc
