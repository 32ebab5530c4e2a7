//===- Families.h - families of published models ------------------------------------------------------------------===//
//
// A family is a network whose hyperparameters are in config.json. Its reader maps the keys of the file to the
// hyperparameters of a module of the prelude (frontends/attn/prelude/models), and refuses values that the module does
// not support. To add a family, write its module, its reader, and a row of families().
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/checkpoint/Config.h"

namespace attnc {

struct Family {
  llvm::StringLiteral type; ///< `model_type` in config.json
  /// Reads the keys, and returns the content of the model file; `origin` names its source, in the first line.
  std::string (*import)(Config &config, llvm::StringRef origin);
};

/// All families, in the alphabetical order of their types.
llvm::ArrayRef<Family> families();

// The families of models/gemma.attn.
std::string importGemma2(Config &config, llvm::StringRef origin);
std::string importGemma3(Config &config, llvm::StringRef origin);
// The families of models/llama.attn.
std::string importLlama(Config &config, llvm::StringRef origin);
std::string importMistral(Config &config, llvm::StringRef origin);
std::string importQwen2(Config &config, llvm::StringRef origin);
std::string importQwen3(Config &config, llvm::StringRef origin);

} // namespace attnc
