#include "frontends/checkpoint/Families.h"

namespace attnc {

llvm::ArrayRef<Family> families() {
  static constexpr Family table[] = {{"DiTTransformer2DModel", importDit},
                                     {"Transformer2DModel", importTransformer2d},
                                     {"bart", importBart},
                                     {"bert", importBert},
                                     {"clip", importClip},
                                     {"clip_text_model", importClipText},
                                     {"clip_vision_model", importClipVision},
                                     {"deepseek_v2", importDeepseekV2},
                                     {"deepseek_v3", importDeepseekV3},
                                     {"gemma2", importGemma2},
                                     {"gemma3_text", importGemma3},
                                     {"gpt2", importGpt2},
                                     {"gpt_oss", importGptOss},
                                     {"kimi_linear", importKimiLinear},
                                     {"llama", importLlama},
                                     {"mamba2", importMamba2},
                                     {"mistral", importMistral},
                                     {"mixtral", importMixtral},
                                     {"modernbert", importModernBert},
                                     {"phi3", importPhi3},
                                     {"qwen2", importQwen2},
                                     {"qwen3", importQwen3},
                                     {"qwen3_moe", importQwen3Moe},
                                     {"qwen3_next", importQwen3Next},
                                     {"roberta", importRoberta},
                                     {"siglip", importSiglip},
                                     {"siglip_text_model", importSiglipText},
                                     {"siglip_vision_model", importSiglipVision},
                                     {"t5", importT5},
                                     {"vit", importVit},
                                     {"whisper", importWhisper},
                                     {"xlm-roberta", importXlmRoberta}};
  return table;
}

} // namespace attnc
