//===- Initialisation.h - initial parameters from a file ----------------------------------------------------------===//
//
// A new training may start from the parameters in a file of another model. A parameter takes the values of the tensor
// with the same name and shape, if the tensor's element type converts to that of the parameter (TensorFile.h). All
// other parameters keep the values that their initialisers drew. States of training keep their initial values.
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

/// The result of an initialisation: which parameters have the values of the file. A list of parameters counts as one
/// tensor for each element. States of training, of the model or of the file, are in none of the lists.
struct Initialisation {
  std::string file;                   ///< path of the file, or paths of several files
  int64_t taken = 0;                  ///< number of the model's tensors whose values are from the file
  int64_t parameters = 0;             ///< number of the model's tensors, without states of training
  int64_t states = 0;                 ///< number of states of training in the file
  std::vector<NamedTensor> missing;   ///< tensors of the model that the file does not have; note: type and shape
  std::vector<NamedTensor> unknown;   ///< tensors of the file that the model does not have; note: type and shape
  std::vector<NamedTensor> different; ///< tensors of both with different shapes or element types; note: both types

  /// Replaces values of `weights`, which must be in memory for all parameters, by those of files (WeightsFiles.h). An
  /// error if a file cannot be read, if a number does not fit, or if no tensor is taken; some values may
  /// then have been replaced. On success, the caller has to pack the weights again.
  static llvm::Expected<Initialisation> apply(llvm::ArrayRef<std::string> paths, attn_weights *weights);

  /// Lines for a person: the counts, and each list, joined by joinLists() and cut to 12 lines.
  std::string text() const;
  /// The file, the counts except `states`, and all lists, joined by joinLists(), for RunRecord::init.
  llvm::json::Object json() const;
};

} // namespace attnc
