#include "frontends/checkpoint/Families.h"

namespace attnc {

llvm::ArrayRef<Family> families() {
  static constexpr Family table[] = {{"DiTTransformer2DModel", importDit, "to_q to_v"},
                                     {"Transformer2DModel", importTransformer2d, "to_q to_v"},
                                     {"bart", importBart, "q_proj v_proj"},
                                     {"bert", importBert, "query value"},
                                     {"clip", importClip, "q_proj v_proj"},
                                     {"clip_text_model", importClipText, "q_proj v_proj"},
                                     {"clip_vision_model", importClipVision, "q_proj v_proj"},
                                     {"deepseek_v2", importDeepseekV2, "o_proj"},
                                     {"deepseek_v3", importDeepseekV3, "o_proj"},
                                     {"gemma2", importGemma2, "q_proj v_proj"},
                                     {"gemma3_text", importGemma3, "q_proj v_proj"},
                                     {"gpt2", importGpt2, "c_attn"},
                                     {"gpt_oss", importGptOss, "q_proj v_proj"},
                                     {"kimi_linear", importKimiLinear, "q_proj v_proj"},
                                     {"llama", importLlama, "q_proj v_proj"},
                                     {"mamba2", importMamba2, "in_proj out_proj"},
                                     {"mistral", importMistral, "q_proj v_proj"},
                                     {"mixtral", importMixtral, "q_proj v_proj"},
                                     {"modernbert", importModernBert, "Wqkv"},
                                     {"phi3", importPhi3, "qkv_proj"},
                                     {"qwen2", importQwen2, "q_proj v_proj"},
                                     {"qwen3", importQwen3, "q_proj v_proj"},
                                     {"qwen3_moe", importQwen3Moe, "q_proj v_proj"},
                                     {"qwen3_next", importQwen3Next, "q_proj v_proj"},
                                     {"roberta", importRoberta, "query value"},
                                     {"siglip", importSiglip, "q_proj v_proj"},
                                     {"siglip_text_model", importSiglipText, "q_proj v_proj"},
                                     {"siglip_vision_model", importSiglipVision, "q_proj v_proj"},
                                     {"t5", importT5, "q v"},
                                     {"vit", importVit, "query value"},
                                     {"whisper", importWhisper, "q_proj v_proj"},
                                     {"xlm-roberta", importXlmRoberta, "query value"}};
  return table;
}

} // namespace attnc
