#include "tools/attnc/Options/SourceOptions.h"
#include "compiler/Json/InputBuffer.h"
#include "compiler/Pipeline/ModelName.h"
#include "compiler/Schedule/Schedule.h"
#include "compiler/Schedule/TransformScript.h"
#include "frontends/checkpoint/Checkpoint.h"
#include "tools/attnc/Options/FineTuningOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

InputRanges SourceOptions::rangesOf(ArrayRef<std::string> entries, Phase phase) const {
  if (isObject())
    return {};
  CompileOptions partly = compile;
  partly.dump = phase;
  Compilation made;
  if (attnc::compile(partly, made, nulls()) != Outcome::Done)
    return {};
  InputRanges all;
  for (const std::string &entry : entries)
    for (const auto &[input, limits] : inputRanges(*made.module, entry))
      append_range(all[input], limits);
  return all;
}

int64_t SourceOptions::tokensOfWriter() const {
  CompileOptions partly = compile;
  partly.dump = Phase::Import;
  Compilation made;
  if (isObject() || !compile.writer || attnc::compile(partly, made, nulls()) != Outcome::Done)
    return 0;
  return limitOfTokens(*made.module, [&](const std::string &name) { return compile.writer->names(name); });
}

void SourceOptions::addTo(CLI::App &command, Takes takes) {
  command
      .add_option("model", compile.input,
                  takes == Takes::Models
                      ? "A model (.attn), the folder of a published checkpoint, or a module that --emit=import "
                        "printed (.mlir)"
                      : "A model (.attn), the folder of a published checkpoint, a module (.mlir), or a compiled "
                        "object (.o)")
      ->required();
  addSettings(command);
  addEmitter(command);
  addStrategy(command);
  addMemory(command);
  addPrecision(command);
  addAdapters(command);
}

std::vector<std::string> SourceOptions::ownWeights() const {
  std::vector<std::string> paths;
  if (isCheckpoint(input()))
    paths.push_back(input());
  if (!compile.fineTuning.adapter.empty())
    paths.push_back(compile.fineTuning.adapter);
  return paths;
}

void SourceOptions::takeWeights(CLI::App &command, std::vector<std::string> &weights) {
  command.parse_complete_callback([this, &weights] {
    if (weights.empty())
      weights = ownWeights();
  });
}

/// The error of an option for the folders of checkpoints with another input; empty for such a folder.
static std::string checkpointExpected(const std::string &input) {
  return isCheckpoint(input) ? "" : input + " is not the folder of a published checkpoint";
}

void SourceOptions::addAdapters(CLI::App &command) {
  FineTuningOptions options = addAdapterOptions(command, compile.fineTuning);
  auto check = [this](const std::string &) { return checkpointExpected(input()); };
  options.lora->check(check);
  options.adapter->check(check);
  aboutSource.insert(aboutSource.end(), {options.lora, options.adapter});
}

void SourceOptions::takeTraining(CLI::App &command) {
  auto set = [this] {
    if (std::string problem = checkpointExpected(input()); !problem.empty())
      throw CLI::ValidationError("--train", problem);
    compile.fineTuning.trains = true;
  };
  aboutSource.push_back(command.add_flag_callback(
      "--train", set, "With the folder of a checkpoint: add the entry points `loss` and `train` for fine-tuning"));
}

void SourceOptions::addSettings(CLI::App &command) {
  aboutSource.push_back(
      command
          .add_option("--target", compile.target,
                      "The target: native, x86-64-v3, x86-64-v4, a processor such as znver4, or a device: cuda:sm_80")
          ->capture_default_str());
  auto addSettings = [this](const std::vector<std::string> &settings) {
    for (const std::string &setting : settings) {
      auto [name, value] = StringRef(setting).split('=');
      if (name.empty() || value.empty())
        throw CLI::ValidationError("--set", "'" + setting + "' is not NAME=VALUE");
      compile.settings.emplace_back(name.str(), value.str());
    }
  };
  aboutSource.push_back(command
                            .add_option_function<std::vector<std::string>>(
                                "--set", addSettings, "A hyperparameter of the model, such as --set layers=2")
                            ->type_name("NAME=VALUE")
                            ->take_all());
  auto checkPrefix = [](const std::string &prefix) -> std::string {
    bool good = !prefix.empty() && !isDigit(prefix[0]) && all_of(prefix, [](char c) { return isAlnum(c) || c == '_'; });
    if (isOfRuntime(prefix))
      return "'" + prefix + "' is a prefix of the runtime; expected another one, such as 'my_" + prefix + "'";
    return good ? "" : "'" + prefix + "' is not a C identifier";
  };
  aboutSource.push_back(
      command
          .add_option("--prefix", compile.prefix,
                      "The prefix of the names in object and header, and the name of the files (the model file's name)")
          ->check(checkPrefix));
}

void SourceOptions::addEmitter(CLI::App &command) {
  auto set = [this](const std::string &name) { compile.emitter = *emitterPreferenceNamed(name); };
  std::vector<std::string> names;
  for (StringRef name : emitterPreferenceNames())
    names.push_back(name.str());
  aboutSource.push_back(
      command
          .add_option_function<std::string>("--emitter", set,
                                            "The code generator for processors: cpu; halide, for the kernels that it "
                                            "supports; or auto, the one with the\nlower predicted time (auto)")
          ->check(CLI::IsMember(names))
          ->type_name("EMITTER"));
}

void SourceOptions::addStrategy(CLI::App &command) {
  auto addChoices = [this](const std::vector<std::string> &settings) {
    for (const std::string &text : settings) {
      Expected<Override> setting = parseOverride(text);
      if (!setting)
        throw CLI::ValidationError("--override", toString(setting.takeError()));
      compile.overrides.push_back(std::move(*setting));
    }
  };
  aboutSource.push_back(command
                            .add_option_function<std::vector<std::string>>(
                                "--override", addChoices,
                                "A choice for a kernel, a kind of kernel, a source location or the model, such "
                                "as\nmodel.fusion=none or logits_attend_0.tile_kv=128 (docs/strategies.md):" +
                                    scheduleKeysText())
                            ->type_name("WHAT.KEY=VALUE")
                            ->take_all());
  auto addFile = [this](const std::string &path) {
    if (isTransformScript(path)) {
      compile.script = path;
      return;
    }
    auto file = readInputFile(path);
    if (!file)
      throw CLI::ValidationError("--strategy", "can't read " + path + ": " + toString(file.takeError()));
    auto settings = parseStrategy(path, (*file)->getBuffer());
    if (!settings)
      throw CLI::ValidationError("--strategy", toString(settings.takeError()));
    // Overrides of the command line take precedence over those of files.
    compile.overrides.insert(compile.overrides.begin() + fromFiles, settings->begin(), settings->end());
    fromFiles += settings->size();
  };
  aboutSource.push_back(
      command
          .add_option_function<std::string>("--strategy", addFile,
                                            "A file with an override on each line and comments after `#`, or a script "
                                            "of the transform dialect\n(.mlir); --override has precedence")
          ->type_name("FILE"));
  aboutSource.push_back(
      command
          .add_option("--tuning", compile.tuning,
                      "A database of `attnc tune`, whose schedules its kernels use; overrides have precedence")
          ->type_name("FILE"));
  aboutSource.push_back(command.add_flag("--require-fused", compile.requireFused,
                                         "Make it an error to materialise a tensor of all query-key pairs"));
}

/// "512MB", "1.6GB", "800MiB", or bytes.
static std::optional<int64_t> parseBytes(StringRef text) {
  static constexpr std::pair<StringLiteral, double> units[] = {
      {"KiB", 1024.0}, {"MiB", 1024.0 * 1024}, {"GiB", 1024.0 * 1024 * 1024}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
      {"B", 1}};
  double factor = 1, number = 0;
  for (const auto &[unit, value] : units)
    if (text.consume_back_insensitive(unit)) {
      factor = value;
      break;
    }
  bool isBad = text.empty() || !all_of(text, [](char c) { return isDigit(c) || c == '.'; }) || text.getAsDouble(number);
  if (isBad || number * factor < 1 || number * factor > 1e18)
    return std::nullopt;
  return int64_t(number * factor);
}

void SourceOptions::addMemory(CLI::App &command) {
  auto addBudget = [this](const std::string &text) {
    compile.memoryBudget = parseBytes(text);
    if (!compile.memoryBudget)
      throw CLI::ValidationError("--memory-budget",
                                 "'" + text + "' is not an amount of memory such as 512MB, 1.6GB or 800MiB");
  };
  aboutSource.push_back(
      command
          .add_option_function<std::string>(
              "--memory-budget", addBudget,
              "The maximum size of an arena at the sizes of --at; training steps recompute values that do not fit")
          ->type_name("BYTES"));
  auto addSizes = [this](const std::vector<std::string> &texts) {
    for (const std::string &text : texts)
      for (StringRef each : split(text, ',')) {
        auto [name, value] = each.split('=');
        int64_t size = 0;
        if (name.empty() || value.getAsInteger(10, size) || size < 1)
          throw CLI::ValidationError("--at", "'" + each.str() + "' is not NAME=SIZE");
        erase_if(compile.at, [&](const auto &earlier) { return earlier.first == name; });
        compile.at.emplace_back(name.str(), size);
      }
  };
  aboutSource.push_back(
      command
          .add_option_function<std::vector<std::string>>(
              "--at", addSizes,
              "Sizes that memory is planned for, such as --at batch=4,seq=1024 (bounds, and workers=1); the last size "
              "of\na dimension holds")
          ->type_name("NAME=SIZE")
          ->take_all());
}

void SourceOptions::addPrecision(CLI::App &command) {
  auto set = [this](const std::string &name) { compile.precision = *precisionNamed(name); };
  std::vector<std::string> names;
  for (StringRef name : precisionNames())
    names.push_back(name.str());
  aboutSource.push_back(
      command
          .add_option_function<std::string>(
              "--precision", set,
              "The storage type of weights, caches and tensors between kernels: f32, bf16 or f16; kernels compute "
              "in\nf32; tf32 stores f32, and products on a device round to tf32 (f32)")
          ->check(CLI::IsMember(names))
          ->type_name("TYPE"));
}

std::optional<LoadedModel> SourceOptions::load(ExitCode &exitCode, std::unique_ptr<Compilation> *made) const {
  std::unique_ptr<MemoryBuffer> bytes = object(exitCode, made);
  if (!bytes)
    return std::nullopt;
  Expected<LoadedModel> model = LoadedModel::fromObject(std::move(bytes));
  if (model)
    return std::move(*model);
  exitCode = report(model.takeError());
  return std::nullopt;
}

std::unique_ptr<MemoryBuffer> SourceOptions::object(ExitCode &exitCode, std::unique_ptr<Compilation> *made) const {
  if (isObject()) {
    for (const CLI::Option *option : aboutSource)
      if (option->count() > 0) {
        exitCode = refuse(fmt::format("{} is an option of compiling a model, but {} is compiled already",
                                      option->get_name(), compile.input));
        return nullptr;
      }
    auto read = LoadedModel::readObject(compile.input);
    if (read)
      return std::move(*read);
    exitCode = report(read.takeError());
    return nullptr;
  }
  auto compiled = std::make_unique<Compilation>();
  CompileOptions options = compile;
  options.objectAlone = !made;
  if (const char *folder = std::getenv("ATTN_CACHE"))
    options.cache = folder;
  Outcome outcome = attnc::compile(options, *compiled, errs());
  exitCode = static_cast<ExitCode>(outcome);
  const Compilation &result = made ? *(*made = std::move(compiled)) : *compiled;
  if (outcome != Outcome::Done)
    return nullptr;
  return MemoryBuffer::getMemBufferCopy(StringRef(result.object.data(), result.object.size()), compile.input);
}

} // namespace attnc
