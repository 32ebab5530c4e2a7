// attnc evaluate: the means of the results of an entry point over a data set, such as accuracies of a trained model.
#include "compiler/Diagnostics/Printable.h"
#include "tools/attnc/Call/EntryChoice.h"
#include "tools/attnc/Call/Runner.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/Data/DataOptions.h"
#include "tools/attnc/Data/TrainingData.h"
#include "tools/attnc/Messages/Messages.h"
#include "tools/attnc/Messages/Printing.h"
#include "tools/attnc/Options/SourceOptions.h"
#include "tools/attnc/Options/Validators.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace attnc {

namespace {

struct EvaluateOptions : InferenceOptions {
  SourceOptions source;
  std::string entry;
  std::optional<int64_t> batches; ///< null: all batches of the data
};

/// The mean of a result over all batches.
struct Mean {
  double sum = 0, weight = 0;
  void add(const HostTensor &result, int64_t rows);
};

/// One run of the command.
class Evaluation {
public:
  Evaluation(const EvaluateOptions &options, const attn_model &model) : options(options), model(model), runner(model) {}
  Error run();

private:
  Error findEntry();
  Error addBatch(Batch batch, int64_t batchNumber);
  void print(const TrainingData &data) const;
  const attn_entry_info &entry() const { return model.entries[number]; }

  const EvaluateOptions &options;
  const attn_model &model;
  Runner runner;
  int64_t number = -1, rows = 0;
  std::vector<Mean> means; ///< of the results
};

} // namespace

/// Adds a result of a batch. A scalar is weighted by the number of rows; all elements of a tensor have equal weights.
void Mean::add(const HostTensor &result, int64_t rows) {
  double share = result.shape.empty() ? double(rows) : 1;
  for (int64_t i = 0, count = result.count(); i < count; ++i)
    sum += share * result.at(i);
  weight += share * double(result.count());
}

Error Evaluation::findEntry() {
  auto keepsParameters = [](const attn_entry_info &entry) { return !entry.updates; };
  Expected<int64_t> chosen = chooseEntry(model, options.entry, {"leaves parameters as they are", "", keepsParameters});
  if (!chosen)
    return chosen.takeError();
  number = *chosen;
  return Error::success();
}

Error Evaluation::addBatch(Batch batch, int64_t batchNumber) {
  append_range(batch.inputs, drawKey(entry(), options.seed, batchNumber));
  auto results = runner.run(number, batch.inputs);
  if (!results)
    return results.takeError();
  rows += batch.rows;
  means.resize(results->size());
  for (auto [mean, result] : zip_equal(means, *results))
    mean.add(result, batch.rows);
  return Error::success();
}

void Evaluation::print(const TrainingData &data) const {
  printTo(stdout, "{}  {} {}", printable(entry().name), rows, data.hasSamples() ? "rows" : "batches");
  for (auto [result, mean] : enumerate(means))
    printTo(stdout, "  {} {:.5g}", printable(entry().tensors[entry().input_count + int32_t(result)].name),
            mean.sum / mean.weight);
  printTo(stdout, "\n");
}

Error Evaluation::run() {
  if (Error error = findEntry())
    return error;
  auto data = TrainingData::read(entry(), options);
  if (!data)
    return data.takeError();
  if (Error error = (*data)->fits(options.source.rangesOf(entry().name, Phase::Import)))
    return error;
  if (Error error = runner.start(options.threads))
    return error;
  if (Error error = runner.loadWeights(options.weights, 0, options.seed))
    return error;
  constexpr int64_t mostWithoutData = 20;
  int64_t most = options.batches.value_or((*data)->hasSamples() ? INT64_MAX : mostWithoutData);
  for (int64_t batchNumber = 0; batchNumber < most; ++batchNumber) {
    std::optional<Batch> batch = (*data)->heldOutBatch(options.shape, batchNumber);
    if (!batch)
      break;
    if (Error error = addBatch(std::move(*batch), batchNumber))
      return error;
  }
  if (rows == 0)
    return createStringError("the data have no batch to evaluate: give more data, a larger --held-out, or a "
                             "smaller --batch or --seq");
  if (int64_t left = (*data)->leftOut(options.shape))
    warn(
        formatv("the last {0} rows are left out, as '{1}' takes {2} at a time", left, entry().name, options.shape.batch)
            .str());
  print(**data);
  return Error::success();
}

static ExitCode evaluate(const EvaluateOptions &options) {
  ExitCode exitCode = ExitCode::Success;
  std::optional<LoadedModel> loaded = options.source.load(exitCode);
  return loaded ? report(Evaluation(options, loaded->model()).run()) : exitCode;
}

void addEvaluate(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App *command = app.add_subcommand("evaluate", "Average the results of an entry point over data");
  options->source.addTo(*command, SourceOptions::Takes::ModelsAndObjects);
  options->shape = {64, 128};
  options->addTo(*command);
  command->add_option("--entry", options->entry, "The entry point; optional if there is only one");
  options->aboutData.push_back(
      command->add_option("--held-out", options->heldOut, "Fraction of the data, at their end; all if not given")
          ->check(CLI::Range(0.0, 1.0)));
  command
      ->add_option("--batches", options->batches,
                   "Maximum number of batches; if not given, all of the data, or 20 of a model that draws its data")
      ->check(atLeast(1));
  command->footer("Example:\n  attnc evaluate examples/chargpt/chargpt.attn --entry loss --weights "
                  "run/weights.safetensors --data text.txt --held-out 0.1");
  command->callback([options, &exitCode] { exitCode = evaluate(*options); });
}

} // namespace attnc
