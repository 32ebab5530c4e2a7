#include "frontends/checkpoint/Adapter.h"
#include "compiler/Diagnostics/Printable.h"
#include "frontends/checkpoint/Config.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace attnc {

std::string adapterConfigPath(const std::string &folder) {
  SmallString<128> path(folder);
  sys::path::append(path, "adapter_config.json");
  return path.str().str();
}

/// Refuses what changes the result of an adapter, apart from the values of Adapters.
static void expectPlainForm(Config &config) {
  config.expectOnly("peft_type", "LORA");
  config.expectOnly("bias", "none");
  for (StringRef key : {"use_dora", "use_rslora", "lora_bias", "use_qalora"})
    config.expectOnly(key, false);
  for (StringRef key : {"rank_pattern", "alpha_pattern"})
    config.expectOnly(key, json::Object());
  for (StringRef key : {"alora_invocation_tokens", "exclude_modules", "layer_replication", "layers_pattern",
                        "layers_to_transform", "target_parameters", "trainable_token_indices"})
    config.expectOnly(key, nullptr);
  // Keys about the file, the initial values, and how the published library computes.
  config.ignore({"arrow_config", "auto_mapping", "base_model_name_or_path", "corda_config", "ensure_weight_tying",
                 "eva_config", "fan_in_fan_out", "inference_mode", "init_lora_weights", "loftq_config",
                 "lora_ga_config", "megatron_config", "megatron_core", "peft_version", "qalora_group_size", "revision",
                 "runtime_config", "task_type"});
}

Expected<Adapters> readAdapter(const std::string &folder, std::vector<std::string> &warnings) {
  std::string path = adapterConfigPath(folder);
  Expected<json::Object> values = readConfigFile(path);
  if (!values)
    return values.takeError();
  std::vector<std::string> problems;
  Config config(*values, path + ": ", problems);
  expectPlainForm(config);
  Adapters adapters{.targets = config.texts("target_modules"),
                    .saved = config.texts("modules_to_save"),
                    .rank = config.size("r", 8),
                    .alpha = config.positive("lora_alpha", 8),
                    .drop = config.real("lora_dropout", 0)};
  if (adapters.targets.empty() && problems.empty())
    config.refuse("target_modules", "a list with the ends of the names of layers");
  for (StringRef target : adapters.targets)
    if (target.empty() || target.find_first_of("\"\\\n") != StringRef::npos)
      config.refuse("target_modules", "names of layers");
  for (StringRef head : adapters.saved)
    if (head != "classifier" && head != "score") // PEFT lists both names for classifiers
      config.refuse("modules_to_save", "null, or the head of a classifier");
  if (!problems.empty())
    return createStringError(inconvertibleErrorCode(), join(problems, "\n"));
  for (const std::string &key : config.unread())
    warnings.push_back(path + ": the key " + key + " is not known, and is ignored");
  return adapters;
}

std::string adapterText(const Adapters &adapters, const std::string &base) {
  json::Object values{{"base_model_name_or_path", printable(base)},
                      {"bias", "none"},
                      {"inference_mode", true},
                      {"lora_alpha", adapters.alpha},
                      {"lora_dropout", adapters.drop},
                      {"modules_to_save", adapters.saved.empty() ? json::Value(nullptr) : json::Value(adapters.saved)},
                      {"peft_type", "LORA"},
                      {"r", adapters.rank},
                      {"target_modules", adapters.targets},
                      {"task_type", nullptr}};
  return formatv("{0:2}\n", json::Value(std::move(values))).str();
}

} // namespace attnc
