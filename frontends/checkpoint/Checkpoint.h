//===- Checkpoint.h - import of a published checkpoint ------------------------------------------------------------===//
//
// A checkpoint is a folder with `config.json`, which describes the network, and weights in `model.safetensors` or in
// shards. importCheckpoint() turns config.json into a model file of the language:
//
//   before   {"model_type": "llama", "hidden_size": 2048, ...}
//   after    model Llama { decoder: llama.Decoder(dim: 2048, ...) as "" ... }
//
// The parameters of the model have the names of the checkpoint. Only the names of the weights are read, because they
// differ between files with equal config.json (Source.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/checkpoint/FineTuning.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace attnc {

struct ImportedCheckpoint {
  std::string text;                  ///< the model file
  std::optional<Adapters> adapters;  ///< the adapters around layers, if FineTuning has any
  std::vector<std::string> warnings; ///< keys of config.json that are not known, each in a sentence
};

/// The path of config.json in a folder.
std::string configPath(const std::string &folder);
/// Whether `path` is a folder that contains config.json.
bool isCheckpoint(const std::string &path);

/// Whether a tensor of a checkpoint, if no parameter has its name, does not change what the model computes: a table
/// that the model computes itself, or the head of a model whose embedding is its head.
bool isRedundant(llvm::StringRef tensor);

/// Imports the checkpoint in a folder. The error is one of the user: a file that cannot be read or is not JSON, an
/// unknown family, keys with values that the family does not support, with a line for each of them, or a training step
/// of a model without a loss.
llvm::Expected<ImportedCheckpoint> importCheckpoint(const std::string &folder, const FineTuning &tuning = {});

} // namespace attnc
