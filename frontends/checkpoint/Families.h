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
#include "frontends/checkpoint/Source.h"

namespace attnc {

struct Family {
  llvm::StringLiteral type; ///< `model_type` in config.json; `_class_name` in files of diffusers, which lack it
  /// Reads the keys, and returns the model.
  ModelText (*import)(Config &config, const Source &source);
  /// The layers that adapters are put around by default: ends of their names, with blanks between them.
  llvm::StringLiteral targets;
};

/// Marks the keys as read that do not change what the model computes in any family: keys about the file, training, and
/// generation of text.
void ignoreIrrelevantKeys(Config &config);

/// All families, in the alphabetical order of their types.
llvm::ArrayRef<Family> families();

// The family of models/bart.attn.
ModelText importBart(Config &config, const Source &source);

// The families of models/bert.attn.
ModelText importBert(Config &config, const Source &source);
ModelText importRoberta(Config &config, const Source &source);
ModelText importXlmRoberta(Config &config, const Source &source);

// The families of models/clip.attn and models/siglip.attn.
ModelText importClip(Config &config, const Source &source);
ModelText importClipText(Config &config, const Source &source);
ModelText importClipVision(Config &config, const Source &source);
ModelText importSiglip(Config &config, const Source &source);
ModelText importSiglipText(Config &config, const Source &source);
ModelText importSiglipVision(Config &config, const Source &source);

// The families of models/deepseek.attn.
ModelText importDeepseekV2(Config &config, const Source &source);
ModelText importDeepseekV3(Config &config, const Source &source);

// The families of models/gemma.attn.
ModelText importGemma2(Config &config, const Source &source);
ModelText importGemma3(Config &config, const Source &source);

// The families of models/dit.attn.
ModelText importDit(Config &config, const Source &source);
ModelText importTransformer2d(Config &config, const Source &source);

// The family of models/gpt_oss.attn.
ModelText importGptOss(Config &config, const Source &source);

// The family of models/gpt2.attn.
ModelText importGpt2(Config &config, const Source &source);

// The family of models/kimi_linear.attn.
ModelText importKimiLinear(Config &config, const Source &source);

// The families of models/llama.attn.
ModelText importLlama(Config &config, const Source &source);
ModelText importMistral(Config &config, const Source &source);
ModelText importQwen2(Config &config, const Source &source);
ModelText importQwen3(Config &config, const Source &source);

// The family of models/mamba2.attn.
ModelText importMamba2(Config &config, const Source &source);

// The family of models/modernbert.attn.
ModelText importModernBert(Config &config, const Source &source);

// The families of models/mixture.attn.
ModelText importMixtral(Config &config, const Source &source);
ModelText importQwen3Moe(Config &config, const Source &source);

// The family of models/phi3.attn.
ModelText importPhi3(Config &config, const Source &source);

// The family of models/qwen3_next.attn.
ModelText importQwen3Next(Config &config, const Source &source);

// The family of models/t5.attn.
ModelText importT5(Config &config, const Source &source);

// The family of models/vit.attn.
ModelText importVit(Config &config, const Source &source);

// The family of models/whisper.attn.
ModelText importWhisper(Config &config, const Source &source);

} // namespace attnc
