//===- EmbeddedWeights.h - weights that become part of the object -----------------------------------------------===//
//
// What a program could load when it runs can be embedded when the model is compiled, and nothing else: the file is read
// by `attn_weights_load` itself, so rules and messages are the same. F16 and BF16 are widened to f32.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/ModelTable.h"
#include "llvm/Support/Error.h"

struct attn_weights;

namespace attnc {

/// The parameters of a model, read from a .safetensors file.
class WeightsFile {
public:
  WeightsFile() = default;
  WeightsFile(const WeightsFile &) = delete;
  WeightsFile &operator=(const WeightsFile &) = delete;
  ~WeightsFile();

  /// Reads and checks every tensor; the error names file, tensor, what was found and what was expected. A tensor that
  /// is no parameter is an error too, unless `allowExtra`.
  llvm::Error load(const Program &program, const std::string &path, bool allowExtra = false);
  /// The bytes of each loaded place of the model's parameters; nothing before `load`.
  const EmbeddedWeights &values() const { return bytes; }

private:
  attn_weights *weights = nullptr;
  EmbeddedWeights bytes;
};

} // namespace attnc
