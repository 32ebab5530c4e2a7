//===- EmbeddedWeights.h - weights that become part of the object -----------------------------------------------===//
//
// Reads the tensors of a .safetensors file that a model's parameters name: eight bytes of length (little endian), a
// header in JSON {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ...}, then the data.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/ModelTable.h"
#include "llvm/Support/MemoryBuffer.h"

namespace attnc {

/// The values of each loaded place of `parameters`, as views of `file`. The error names file, tensor, what was found
/// and what was expected.
llvm::Expected<EmbeddedWeights> embeddedWeights(const ParameterTable &parameters, const llvm::MemoryBuffer &file);

/// The name in a file of entry `entry` of a parameter: its list indices in the places of {0}, {1}.
std::string checkpointName(mlir::model::ParameterOp parameter, int64_t entry);

} // namespace attnc
