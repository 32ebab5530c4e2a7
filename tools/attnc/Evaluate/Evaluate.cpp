// attnc evaluate: the means of the results of an entry point over a data set, such as accuracies of a trained model; or
// their sums, from which a second entry point computes a metric of the whole set, such as an F1 score.
#include "compiler/Diagnostics/Printable.h"
#include "tools/attnc/Call/EntryChoice.h"
#include "tools/attnc/Call/EntryResults.h"
#include "tools/attnc/Call/Runner.h"
#include "tools/attnc/Call/TypeText.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/Data/DataOptions.h"
#include "tools/attnc/Data/TrainingData.h"
#include "tools/attnc/Messages/Messages.h"
#include "tools/attnc/Messages/Printing.h"
#include "tools/attnc/Options/SourceOptions.h"
#include "tools/attnc/Options/Validators.h"
#include "tools/command-line/Command.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace attnc {

namespace {

struct EvaluateOptions : InferenceOptions {
  SourceOptions source;
  std::string entry, combine;
  std::optional<int64_t> batches; ///< null: all batches of the data
};

/// The mean of a result over all batches.
struct Mean {
  double sum = 0, weight = 0;
  void add(const HostTensor &result, int64_t rows);
};

/// The sums of the results over all batches, element by element, and the entry point that they are inputs of.
class Sums {
public:
  /// Fails if the inputs of the entry point `combine` are no results of `entry`, or results with dynamic dimensions.
  Error start(const attn_model &model, const attn_entry_info &entry, const std::string &combine);
  void add(ArrayRef<HostTensor> results);
  /// The results of the entry point on the sums.
  Expected<std::vector<HostTensor>> combine(Runner &runner) const;
  const attn_entry_info &combined() const { return model->entries[number]; }

private:
  Error checkInput(const attn_entry_info &entry, const attn_tensor_info &input);

  const attn_model *model = nullptr;
  int64_t number = -1;
  std::vector<size_t> sources;               ///< of each input of the entry point: the number of the result
  std::vector<std::vector<double>> elements; ///< of each input
};

/// One run of the command.
class Evaluation {
public:
  Evaluation(const EvaluateOptions &options, const attn_model &model) : options(options), model(model), runner(model) {}
  Error run();

private:
  Error findEntry();
  Error addBatch(Batch batch, int64_t batchNumber);
  Error print(const TrainingData &data);
  const attn_entry_info &entry() const { return model.entries[number]; }

  const EvaluateOptions &options;
  const attn_model &model;
  Runner runner;
  int64_t number = -1, rows = 0;
  std::vector<Mean> means;  ///< of the results
  std::optional<Sums> sums; ///< with --combine
};

} // namespace

/// Adds a result of a batch. A scalar is weighted by the number of rows; all elements of a tensor have equal weights.
void Mean::add(const HostTensor &result, int64_t rows) {
  double share = result.shape.empty() ? double(rows) : 1;
  for (int64_t i = 0, count = result.count(); i < count; ++i)
    sum += share * result.at(i);
  weight += share * double(result.count());
}

static bool hasConstantShape(const attn_tensor_info &info) {
  return all_of(ArrayRef(info.shape, info.rank),
                [](const attn_size_info &size) { return constantSize(size).has_value(); });
}

/// The number of the entry point called `name`, which may be empty if the model has only one.
static Expected<int64_t> findEvaluated(const attn_model &model, const std::string &name) {
  auto keepsParameters = [](const attn_entry_info &entry) { return !entry.updates; };
  return chooseEntry(model, name, {"leaves parameters as they are", "", keepsParameters});
}

Error Sums::checkInput(const attn_entry_info &entry, const attn_tensor_info &input) {
  ArrayRef<attn_tensor_info> results = resultsOf(entry);
  const attn_tensor_info *source =
      find_if(results, [&](const attn_tensor_info &each) { return StringRef(each.name) == input.name; });
  if (source == results.end()) {
    std::string names =
        join(map_range(results, [](const attn_tensor_info &each) { return StringRef(each.name); }), ", ");
    return createStringError(formatv("--combine {0}: its input '{1}' is no result of '{2}', which returns {3}",
                                     combined().name, input.name, entry.name, names));
  }
  if (!hasConstantShape(input) || !hasConstantShape(*source) || shapeOf(input, {}) != shapeOf(*source, {}))
    return createStringError(formatv("--combine {0}: '{1}' is {2} of '{3}' and {4} of '{0}'; expected the same shape "
                                     "without dynamic dimensions, as sums over a batch have",
                                     combined().name, input.name, typeText(entry, *source), entry.name,
                                     typeText(combined(), input)));
  sources.push_back(size_t(source - results.begin()));
  elements.emplace_back(size_t(HostTensor(ATTN_F32, shapeOf(input, {})).count()));
  return Error::success();
}

Error Sums::start(const attn_model &model, const attn_entry_info &entry, const std::string &combine) {
  this->model = &model;
  Expected<int64_t> chosen = findEvaluated(model, combine);
  if (!chosen)
    return chosen.takeError();
  number = *chosen;
  for (const attn_tensor_info &input : ArrayRef(combined().tensors, combined().input_count))
    if (Error error = checkInput(entry, input))
      return error;
  return Error::success();
}

void Sums::add(ArrayRef<HostTensor> results) {
  for (auto [source, sum] : zip_equal(sources, elements))
    for (auto [place, element] : enumerate(sum))
      element += results[source].at(int64_t(place));
}

Expected<std::vector<HostTensor>> Sums::combine(Runner &runner) const {
  std::vector<HostTensor> inputs;
  for (auto [sum, info] : zip_equal(elements, ArrayRef(combined().tensors, combined().input_count))) {
    HostTensor &input = inputs.emplace_back(attn_dtype(info.dtype), shapeOf(info, {}));
    for (auto [place, element] : enumerate(sum)) {
      if (info.dtype == ATTN_I32 && std::abs(element) > INT32_MAX)
        return createStringError(formatv("--combine {0}: the sum of '{1}' over the batches is {2}, which does not fit "
                                         "into i32; declare it f32",
                                         combined().name, info.name, element));
      input.set(int64_t(place), element);
    }
  }
  return runner.run(number, inputs);
}

Error Evaluation::findEntry() {
  Expected<int64_t> chosen = findEvaluated(model, options.entry);
  if (!chosen)
    return chosen.takeError();
  number = *chosen;
  return options.combine.empty() ? Error::success() : sums.emplace().start(model, entry(), options.combine);
}

Error Evaluation::addBatch(Batch batch, int64_t batchNumber) {
  append_range(batch.inputs, drawKey(entry(), options.seed, batchNumber));
  auto results = runner.run(number, batch.inputs);
  if (!results)
    return results.takeError();
  rows += batch.rows;
  if (sums) {
    sums->add(*results);
    return Error::success();
  }
  means.resize(results->size());
  for (auto [mean, result] : zip_equal(means, *results))
    mean.add(result, batch.rows);
  return Error::success();
}

Error Evaluation::print(const TrainingData &data) {
  if (sums) {
    auto results = sums->combine(runner);
    if (!results)
      return results.takeError();
    means.resize(results->size());
    for (auto [mean, result] : zip_equal(means, *results))
      mean.add(result, 1);
  }
  const attn_entry_info &printed = sums ? sums->combined() : entry();
  printTo(stdout, "{}  {} {}", printable(printed.name), rows, data.hasSamples() ? "rows" : "batches");
  for (auto [result, mean] : enumerate(means))
    printTo(stdout, "  {} {:.5g}", printable(printed.tensors[printed.input_count + int32_t(result)].name),
            mean.sum / mean.weight);
  printTo(stdout, "\n");
  return Error::success();
}

Error Evaluation::run() {
  if (Error error = findEntry())
    return error;
  auto data = TrainingData::read(entry(), options);
  if (!data)
    return data.takeError();
  if (Error error = (*data)->fits(options.source.rangesOf(std::string(entry().name), Phase::Import)))
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
  return print(**data);
}

static ExitCode evaluate(const EvaluateOptions &options) {
  ExitCode exitCode = ExitCode::Success;
  std::optional<LoadedModel> loaded = options.source.load(exitCode);
  return loaded ? report(Evaluation(options, loaded->model()).run()) : exitCode;
}

void addEvaluate(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App *command = addCommand(app, "evaluate", "Average the results of an entry point over data");
  options->source.addTo(*command, SourceOptions::Takes::ModelsAndObjects);
  options->shape = {64, 128};
  options->addTo(*command);
  command->add_option("--entry", options->entry, "The entry point; optional if there is only one");
  command
      ->add_option("--combine", options->combine,
                   "An entry point that computes a metric of the whole set, such as an F1 score: its inputs are the "
                   "sums, over all batches, of the results with their names")
      ->type_name("ENTRY");
  options->aboutData.push_back(
      command->add_option("--held-out", options->heldOut, "Fraction of the data, at their end; all if not given")
          ->check(CLI::Range(0.0, 1.0)));
  command
      ->add_option("--batches", options->batches,
                   "Maximum number of batches; if not given, all of the data, or 20 of a model that draws its data")
      ->check(atLeast(1));
  command->footer("Example:\n  attnc evaluate examples/chargpt/chargpt.attn --entry loss --weights "
                  "run/weights.safetensors --data text.txt --held-out 0.1");
  command->callback([options, &exitCode] {
    options->findVocabularies();
    exitCode = evaluate(*options);
  });
}

} // namespace attnc
