#include "tools/attnc/Options/FineTuningOptions.h"

namespace attnc {

/// The names in `text`, separated by commas; none for "true", the value of a flag without one.
static std::vector<std::string> namesIn(const std::string &text) {
  std::vector<std::string> names = CLI::detail::split(text, ',');
  if (text == "true")
    names.clear();
  for (const std::string &name : names)
    if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.*") !=
                            std::string::npos)
      throw CLI::ValidationError("'" + name + "' is not the end of a name of a layer, such as q_proj");
  return names;
}

FineTuningOptions addAdapterOptions(CLI::App &command, FineTuning &tuning) {
  FineTuningOptions options;
  auto names = std::make_shared<std::string>();
  options.lora = command.add_flag(
      "--lora", *names,
      "With the folder of a checkpoint: put new adapters of low rank around its query and value layers, or around\n"
      "those with other names: --lora=q_proj,up_proj");
  options.lora->each([names, &tuning](const std::string &text) { tuning.lora = Adapters{.targets = namesIn(text)}; });
  options.adapter =
      command
          .add_option("--adapter", tuning.adapter,
                      "With the folder of a checkpoint: the folder of an adapter, with adapter_config.json")
          ->type_name("FOLDER")
          ->excludes(options.lora);
  return options;
}

} // namespace attnc
