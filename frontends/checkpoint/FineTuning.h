//===- FineTuning.h - parts of an imported model that are for fine-tuning -----------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// Adapters around layers of a network: adapters.LoRA of the prelude.
struct Adapters {
  std::vector<std::string> targets = {}; ///< ends of the names of the layers; empty: those of Family::targets
  std::vector<std::string> saved = {};   ///< heads whose tensors the file of the adapter has, with names of its own
  int64_t rank = 8;
  double alpha = 16;
  double drop = 0; ///< of the inputs of adapters, in training steps
};

/// The parts of a model file besides the network of a checkpoint and its entry points for inference.
struct FineTuning {
  bool trains = false;               ///< a loss, and a training step that minimises it
  std::optional<Adapters> lora = {}; ///< adapters of a new training
  std::string adapter = "";          ///< folder of a published adapter, instead of `lora`; empty: none
  bool adapts() const { return lora || !adapter.empty(); }
};

} // namespace attnc
