//===- Initialisation.h - initial parameters from a file ----------------------------------------------------------===//
//
// A new training may start from the parameters of another model: of those with the same name and shape, and with an
// element type that can be converted. The other parameters keep the values that their initialisers drew. States of
// training are never taken over.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/weights.h"
#include "tools/attnc/Train/NameLists.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <string>
#include <vector>

namespace attnc {

struct Initialisation {
  std::string file;
  int64_t taken = 0;                  ///< number of the model's tensors whose values are from the file
  int64_t parameters = 0;             ///< number of the model's tensors, without states of training
  int64_t states = 0;                 ///< states of training in the file
  std::vector<NamedTensor> missing;   ///< tensors of the model that the file does not have
  std::vector<NamedTensor> unknown;   ///< tensors of the file that the model does not have
  std::vector<NamedTensor> different; ///< tensors of both, with other shapes or element types, which the notes name

  /// Replaces values of `weights` by those of the .safetensors file `path`. Fails if the file cannot be read, or if
  /// no tensor is taken. The weights then have to be packed again.
  static llvm::Expected<Initialisation> apply(const std::string &path, attn_weights *weights);

  /// Lines for a person: a count, and the tensors of each list, of which long ones are cut.
  std::string text() const;
  /// All lists, for the record of a training.
  llvm::json::Object json() const;
};

} // namespace attnc
