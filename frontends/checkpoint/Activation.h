//===- Activation.h - activations of config.json ------------------------------------------------------------------===//
#pragma once

#include "frontends/checkpoint/Config.h"

namespace attnc {

struct Activation {
  std::string function; ///< in the language, such as "nn.gelu"; empty: the default of the module
  std::string file;     ///< file of the prelude with the function: "nn"; empty for a builtin
};

/// The activation with this name in config.json; null if there is none.
std::optional<Activation> findActivation(llvm::StringRef name);

/// Reads the activation that a key names. `otherwise` is the default of the family, and of its module.
Activation readActivation(Config &config, llvm::StringRef key, llvm::StringRef otherwise);

} // namespace attnc
