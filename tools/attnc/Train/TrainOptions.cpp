#include "tools/attnc/Train/TrainOptions.h"
#include "frontends/checkpoint/Checkpoint.h"
#include "tools/attnc/Call/VocabularyOption.h"
#include "tools/attnc/Call/WeightsOption.h"
#include "tools/attnc/Options/Validators.h"
#include "tools/attnc/Train/RunFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace attnc {

/// Whether a folder has files of weights; one with config.json alone is trained from the initial values.
static bool hasWeights(const std::string &folder) {
  std::error_code code;
  for (sys::fs::directory_iterator each(folder, code), end; !code && each != end; each.increment(code))
    if (StringRef(each->path()).ends_with(".safetensors"))
      return true;
  return false;
}

void TrainOptions::complete() {
  const FineTuning &tuning = source.compile.fineTuning;
  if (!resume && trainer.weights.empty() && isCheckpoint(source.input()) && hasWeights(source.input()))
    trainer.weights = source.ownWeights();
  if (base.empty() && tuning.adapts() && hasWeights(source.input()))
    base = source.input();
  makesVocabularies = !resume;
  folder = resume ? output : folderOfWeights(trainer.weights);
}

Expected<std::optional<WeightsFiles>> TrainOptions::openBase() const {
  if (base.empty())
    return std::nullopt;
  auto files = WeightsFiles::open(base);
  if (!files)
    return files.takeError();
  return std::optional(std::move(*files));
}

const char *TrainOptions::weightsFile() const {
  return source.compile.fineTuning.adapts() ? runfile::adapter : runfile::weights;
}

/// Replaces a number by the last value of --set with its name.
template <typename Number>
static void applySetting(ArrayRef<std::pair<std::string, std::string>> settings, StringRef name, Number &number) {
  for (const auto &[key, value] : settings)
    if (double given; key == name && !StringRef(value).getAsDouble(given))
      number = Number(given);
}

Expected<std::optional<Adapters>> TrainOptions::adapters() const {
  if (!source.compile.fineTuning.adapts())
    return std::nullopt;
  auto imported = importCheckpoint(source.input(), source.compile.fineTuning);
  if (!imported)
    return imported.takeError();
  std::optional<Adapters> adapters = imported->adapters;
  applySetting(source.compile.settings, "rank", adapters->rank);
  applySetting(source.compile.settings, "alpha", adapters->alpha);
  applySetting(source.compile.settings, "drop", adapters->drop);
  return adapters;
}

static void addMapOptions(CLI::App &command, MapOptions &options) {
  CLI::Option *maps = command.add_option(
      "--maps", options.entry, "An entry point made by `attention`, whose attention weights the report shows");
  maps->type_name("ENTRY");
  command.add_option("--map-heads", options.heads, "The heads of --maps: 3.0 is layer 3, head 0; all if not given")
      ->type_name("HEAD")
      ->delimiter(',')
      ->needs(maps);
  CLI::Option *text =
      command.add_option("--map-text", options.text, "The text of the maps, for data that are one file of text")
          ->type_name("TEXT")
          ->needs(maps);
  command.add_option("--map-sample", options.sample, "Or the number of a held-out sample")
      ->capture_default_str()
      ->check(atLeast(0))
      ->needs(maps)
      ->excludes(text);
}

static void addPictureOptions(CLI::App &command, PictureOptions &options) {
  CLI::Option *picture =
      command.add_option("--picture", options.entry, "An entry point whose results are images, which the report shows");
  picture->type_name("ENTRY");
  command.add_option("--picture-rows", options.rows, "The number of held-out samples of --picture")
      ->capture_default_str()
      ->check(atLeast(1))
      ->needs(picture);
}

void TrainOptions::addTo(CLI::App &command) {
  source.addTo(command, SourceOptions::Takes::ModelsAndObjects);
  source.compile.fineTuning.trains = true;
  shape = {16, 128};
  heldOut = 0.1;
  DataOptions::addTo(command);
  addVocabularySizesTo(command);
  command.add_option("-o,--output", output, "Folder of checkpoints, history and report")->required();
  command
      .add_option("--entry", trainer.step,
                  "The entry point that trains; optional if there is only one. Several train in turn, each with its "
                  "number of calls in a step: critic:2,generator")
      ->type_name("ENTRY[:CALLS]")
      ->delimiter(',');
  command.add_option("--validate", trainer.loss, "The entry point that validates")->type_name("ENTRY");
  command.add_option("--steps", steps, "Total number of steps; 0: only write the initial parameters")
      ->capture_default_str()
      ->check(atLeast(0));
  aboutData.push_back(command.add_option("--held-out", heldOut, "Fraction of the data, at their end, for validation")
                          ->capture_default_str()
                          ->check(CLI::Range(0.0, 0.9)));
  command.add_option("--validate-every", validateEvery, "Number of steps between validations")
      ->capture_default_str()
      ->check(atLeast(1));
  command.add_option("--validation-batches", validationBatches, "Maximum number of batches")
      ->capture_default_str()
      ->check(atLeast(1));
  command.add_option("--save-every", saveEvery, "Number of steps between checkpoints")
      ->capture_default_str()
      ->check(atLeast(1));
  addMapOptions(command, maps);
  addPictureOptions(command, pictures);
  command.add_option("--seed", trainer.seed, "Seed of initial values and of the order of data")->capture_default_str();
  command.add_option("--threads", trainer.threads, "Number of threads; 0: one for each processor")
      ->capture_default_str();
  addWeightsOption(command, "--init", trainer.weights, "Start from the parameters, by name, of weights");
  command
      .add_option("--changes-from", base,
                  "Leave out of weights.safetensors the tensors that are equal in this file, index or folder")
      ->type_name("FILE");
  CLI::Option *resumed =
      command.add_flag("--resume", resume, "Continue from the checkpoint in the output folder")->excludes("--init");
  command
      .add_flag("--allow-other", trainer.allowOther,
                "Continue from a checkpoint of another object or program, or with other settings or data")
      ->needs(resumed);
}

} // namespace attnc
