//===- FineTuning.h - parts of an imported model that are for training --------------------------------------------===//
#pragma once

namespace attnc {

/// The parts of a model file besides the network of a checkpoint and its entry points for inference.
struct FineTuning {
  bool trains = false; ///< a loss, and a training step that minimises it
};

} // namespace attnc
