//===- Families.h - families of published models ------------------------------------------------------------------===//
//
// A family is a network whose hyperparameters are in config.json. Its reader maps the keys of the file to the
// hyperparameters of a module of the prelude (frontends/attn/prelude/models), and refuses values that the module does
// not support. To add a family, write its module, its reader, and a row of families().
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/checkpoint/Config.h"
#include "frontends/checkpoint/ModelText.h"

namespace attnc {

struct Family {
  llvm::StringLiteral type; ///< `model_type` in config.json
  DecoderText (*read)(Config &config);
};

/// All families, in the alphabetical order of their types.
llvm::ArrayRef<Family> families();

} // namespace attnc
