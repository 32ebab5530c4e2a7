//===- EmbeddedWeights.h - weights embedded into an object at compile time ----------------------------------------===//
//
// The runtime's attn_weights_load (attn/files.h) reads the files at compile time, as it does for a program at run time,
// so rules and messages are the same. F16 and BF16 tensors of the file are widened to f32.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/ModelTable.h"
#include "llvm/Support/Error.h"

struct attn_weights;

namespace attnc {

/// The parameters of a model, read from files.
class WeightsFile {
public:
  WeightsFile() = default;
  WeightsFile(const WeightsFile &) = delete;
  WeightsFile &operator=(const WeightsFile &) = delete;
  ~WeightsFile();

  /// Reads files (WeightsFiles.h), at least one, and checks name, shape and element type of every
  /// parameter of `program`; must be called at most once. The error names the file, the tensor, the found and the
  /// expected. A tensor that is no parameter is an error unless `allowExtra`.
  llvm::Error load(const Program &program, llvm::ArrayRef<std::string> paths, bool allowExtra = false);
  /// The bytes of each entry of the parameter table, by number of the entry; an entry of a state has no bytes. Empty
  /// before load() has succeeded. The bytes belong to this object.
  const EmbeddedWeights &values() const { return bytes; }

private:
  attn_weights *weights = nullptr;
  EmbeddedWeights bytes;
};

} // namespace attnc
