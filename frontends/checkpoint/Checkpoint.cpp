#include "frontends/checkpoint/Checkpoint.h"
#include "compiler/Diagnostics/Printable.h"
#include "compiler/Diagnostics/Spelling.h"
#include "frontends/checkpoint/Adapter.h"
#include "frontends/checkpoint/Families.h"
#include "frontends/checkpoint/Source.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace attnc {

/// Keys of all families that do not change what the model computes: about the file, training, and generation of text.
static constexpr char irrelevantKeys[] =
    "_attn_implementation_autoset _name_or_path _num_labels architectures attention_dropout "
    "attention_probs_dropout_prob attn_implementation auto_map bad_words_ids begin_suppress_tokens bos_token_id "
    "cache_implementation chunk_size_feed_forward classifier_dropout cross_attention_hidden_size "
    "decoder_start_token_id diversity_penalty do_sample dropout dtype early_stopping embd_pdrop "
    "encoder_no_repeat_ngram_size exponential_decay_length_penalty finetuning_task forced_bos_token_id "
    "forced_eos_token_id gradient_checkpointing hidden_dropout hidden_dropout_prob id2label initializer_factor "
    "initializer_range is_llama_config label2id length_penalty max_length min_length model_type "
    "no_repeat_ngram_size num_beam_groups num_beams num_labels num_return_sequences output_attentions "
    "output_hidden_states output_past output_scores pad_token_id prefix problem_type remove_invalid_values "
    "repetition_penalty resid_pdrop return_dict return_dict_in_generate sep_token_id suppress_tokens "
    "task_specific_params temperature tf_legacy_loss tie_encoder_decoder tokenizer_class top_k top_p "
    "torch_dtype torchscript transformers.js_config transformers_version typical_p unsloth_version use_bfloat16 "
    "use_cache";

void ignoreIrrelevantKeys(Config &config) {
  SmallVector<StringRef> keys;
  StringRef(irrelevantKeys).split(keys, ' ');
  config.ignore(keys);
}

std::string configPath(const std::string &folder) {
  SmallString<128> path(folder);
  sys::path::append(path, "config.json");
  return path.str().str();
}

bool isCheckpoint(const std::string &path) { return sys::fs::is_directory(path) && sys::fs::exists(configPath(path)); }

bool isRedundant(StringRef tensor) {
  static constexpr StringLiteral buffers[] = {
      "rotary_emb.inv_freq", "position_ids",         "attn.bias",
      "attn.masked_bias",    "embed_scale",          "lm_head.weight",
      "decoder.weight",      "lm_head.decoder.bias", "predictions.decoder.bias",
      "embed_tokens.weight", "proj_out.weight",      "EncDecAttention.relative_attention_bias.weight"};
  return any_of(buffers, [&](StringRef buffer) { return tensor == buffer || tensor.ends_with(("." + buffer).str()); });
}

static Error fail(const std::string &message) { return createStringError(inconvertibleErrorCode(), message); }

/// The name of a folder, also of "." and "models/llama/".
static std::string nameOf(const std::string &folder) {
  SmallString<128> path(folder);
  if (sys::fs::make_absolute(path))
    return folder;
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return sys::path::filename(path).str();
}

static Expected<const Family *> familyOf(Config &config, const std::string &path) {
  std::string type = config.text("model_type", config.text("_class_name", ""));
  std::vector<std::string> known;
  for (const Family &family : families()) {
    if (family.type == type)
      return &family;
    known.push_back(family.type.str());
  }
  if (type.empty())
    return fail(path + ": model_type is missing, expected one of " + join(known, ", "));
  return fail(path + ": model_type: '" + printable(type) + "' is not supported, expected one of " + join(known, ", ") +
              didYouMean(type, known));
}

Expected<ImportedCheckpoint> importCheckpoint(const std::string &folder, const FineTuning &tuning) {
  std::string path = configPath(folder);
  Expected<json::Object> values = readConfigFile(path);
  if (!values)
    return values.takeError();
  std::vector<std::string> problems;
  Config config(*values, path + ": ", problems);
  Expected<const Family *> family = familyOf(config, path);
  if (!family)
    return family.takeError();
  ignoreIrrelevantKeys(config);
  if (config.has("quantization_config"))
    config.refuse("quantization_config", "none: quantised checkpoints are not supported");
  ModelText model = (*family)->import(config, Source(folder));
  if (!problems.empty())
    return fail(join(problems, "\n"));
  if (tuning.trains && !model.loss)
    return fail(path + ": there is no loss to train " + model.model +
                " with: it needs a class with a head in `architectures`, or `decoder_start_token_id` if a decoder "
                "follows an encoder");
  if (tuning.trains)
    model.addTraining(tuning.adapts() ? "2e-4" : "1e-5");
  ImportedCheckpoint result;
  if (tuning.adapts()) {
    Expected<Adapters> adapters = tuning.lora ? *tuning.lora : readAdapter(tuning.adapter, result.warnings);
    if (!adapters)
      return adapters.takeError();
    if (adapters->targets.empty())
      for (StringRef target : split((*family)->targets, ' '))
        adapters->targets.push_back(target.str());
    model.addAdapters(*adapters, tuning.trains);
    result.adapters = std::move(*adapters);
  }
  result.text = model.text("config.json of " + printable(nameOf(folder)));
  for (const std::string &key : config.unread())
    result.warnings.push_back(path + ": the key " + key + " is not known, and is ignored");
  return result;
}

} // namespace attnc
