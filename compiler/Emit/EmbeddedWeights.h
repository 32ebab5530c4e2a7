//===- EmbeddedWeights.h - weights embedded into an object at compile time ----------------------------------------===//
//
// `attn_weights_load` reads the file, as it does for a program at run time, so rules and messages are the same. F16 and
// BF16 are widened to f32.
//
//===--------------------------------------------------------------------------------------------------------------===//
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

  /// Reads and checks every tensor; the error names file, tensor, the found and the expected. An extra tensor is an
  /// error unless `allowExtra`.
  llvm::Error load(const Program &program, const std::string &path, bool allowExtra = false);
  /// The bytes of each entry of the parameter table, by number of the entry; no bytes for a state. Empty before load().
  /// This object owns the bytes.
  const EmbeddedWeights &values() const { return bytes; }

private:
  attn_weights *weights = nullptr;
  EmbeddedWeights bytes;
};

} // namespace attnc
