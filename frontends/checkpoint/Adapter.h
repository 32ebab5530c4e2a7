//===- Adapter.h - published adapters -----------------------------------------------------------------------------===//
//
// An adapter, in the form of the library PEFT, is a folder with adapter_config.json, which describes it, and the
// tensors in adapter_model.safetensors.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/checkpoint/FineTuning.h"
#include "llvm/Support/Error.h"

namespace attnc {

/// The path of adapter_config.json in a folder.
std::string adapterConfigPath(const std::string &folder);

/// Reads adapter_config.json. Keys that are not known are appended to `warnings`, each in a sentence. The error has a
/// line for each key whose value is not supported.
llvm::Expected<Adapters> readAdapter(const std::string &folder, std::vector<std::string> &warnings);

/// The content of adapter_config.json; `base` is the path of the network.
std::string adapterText(const Adapters &adapters, const std::string &base);

} // namespace attnc
