//===- Families.h - families of published models ------------------------------------------------------------------===//
//
// A family is a network whose hyperparameters are in config.json. Its reader maps the keys of the file to the
// hyperparameters of a module of the prelude (frontends/attn/prelude/models), and refuses values that the module does
// not support. To add a family, write its module, its reader, and a row of families().
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/checkpoint/Config.h"
#include "frontends/checkpoint/Source.h"

namespace attnc {

struct Family {
  llvm::StringLiteral type; ///< `model_type` in config.json; `_class_name` in files of diffusers, which lack it
  /// Reads the keys, and returns the content of the model file.
  std::string (*import)(Config &config, const Source &source);
};

/// Marks the keys as read that do not change what the model computes in any family: keys about the file, training, and
/// generation of text.
void ignoreIrrelevantKeys(Config &config);

/// All families, in the alphabetical order of their types.
llvm::ArrayRef<Family> families();

// The family of models/bart.attn.
std::string importBart(Config &config, const Source &source);

// The families of models/bert.attn.
std::string importBert(Config &config, const Source &source);
std::string importRoberta(Config &config, const Source &source);
std::string importXlmRoberta(Config &config, const Source &source);

// The families of models/clip.attn and models/siglip.attn.
std::string importClip(Config &config, const Source &source);
std::string importClipText(Config &config, const Source &source);
std::string importClipVision(Config &config, const Source &source);
std::string importSiglip(Config &config, const Source &source);
std::string importSiglipText(Config &config, const Source &source);
std::string importSiglipVision(Config &config, const Source &source);

// The families of models/deepseek.attn.
std::string importDeepseekV2(Config &config, const Source &source);
std::string importDeepseekV3(Config &config, const Source &source);

// The families of models/gemma.attn.
std::string importGemma2(Config &config, const Source &source);
std::string importGemma3(Config &config, const Source &source);

// The families of models/dit.attn.
std::string importDit(Config &config, const Source &source);
std::string importTransformer2d(Config &config, const Source &source);

// The family of models/gpt_oss.attn.
std::string importGptOss(Config &config, const Source &source);

// The family of models/gpt2.attn.
std::string importGpt2(Config &config, const Source &source);

// The family of models/kimi_linear.attn.
std::string importKimiLinear(Config &config, const Source &source);

// The families of models/llama.attn.
std::string importLlama(Config &config, const Source &source);
std::string importMistral(Config &config, const Source &source);
std::string importQwen2(Config &config, const Source &source);
std::string importQwen3(Config &config, const Source &source);

// The family of models/mamba2.attn.
std::string importMamba2(Config &config, const Source &source);

// The family of models/modernbert.attn.
std::string importModernBert(Config &config, const Source &source);

// The families of models/mixture.attn.
std::string importMixtral(Config &config, const Source &source);
std::string importQwen3Moe(Config &config, const Source &source);

// The family of models/phi3.attn.
std::string importPhi3(Config &config, const Source &source);

// The family of models/qwen3_next.attn.
std::string importQwen3Next(Config &config, const Source &source);

// The family of models/t5.attn.
std::string importT5(Config &config, const Source &source);

// The family of models/vit.attn.
std::string importVit(Config &config, const Source &source);

// The family of models/whisper.attn.
std::string importWhisper(Config &config, const Source &source);

} // namespace attnc
