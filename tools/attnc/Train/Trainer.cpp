#include "tools/attnc/Train/Trainer.h"
#include "tools/attnc/Call/EntryResults.h"
#include "tools/attnc/Messages/Messages.h"
#include "compiler/Emit/WeightsFiles.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>

using namespace llvm;

namespace attnc {

Expected<std::unique_ptr<Trainer>> Trainer::create(const attn_model &model, const Options &options) {
  auto entries = StepEntries::choose(model, options.step);
  if (!entries)
    return entries.takeError();
  std::unique_ptr<Trainer> trainer(new Trainer(model, std::move(*entries), options.seed));
  if (Error error = trainer->findLoss(options))
    return std::move(error);
  if (Error error = trainer->runner.start(options.threads))
    return std::move(error);
  if (Error error = trainer->loadWeights(options))
    return std::move(error);
  return trainer;
}

/// Whether an entry point has the inputs of the training step, apart from the dimension of accumulated batches and the
/// key of random draws.
static bool takesTheSame(const attn_entry_info &a, const attn_entry_info &step) {
  int32_t count = inputsBeforeKey(step);
  bool same = inputsBeforeKey(a) == count && a.dimension_count == step.dimension_count;
  for (int32_t i = 0; same && i < count; ++i)
    same = a.tensors[i].dtype == step.tensors[i].dtype &&
           (a.tensors[i].rank == step.tensors[i].rank ||
            (a.tensors[i].rank + 1 == step.tensors[i].rank && leadingNumber(step.tensors[i]))) &&
           StringRef(a.tensors[i].name) == step.tensors[i].name;
  return same;
}

/// Whether the results of two entry points have the same names.
static bool returnsTheSame(const attn_entry_info &a, const attn_entry_info &b) {
  return equal(resultsOf(a), resultsOf(b), [](const attn_tensor_info &left, const attn_tensor_info &right) {
    return StringRef(left.name) == right.name;
  });
}

Error Trainer::findLoss(const Options &options) {
  for (int64_t number = 0; number < model.entry_count; ++number) {
    const attn_entry_info &entry = model.entries[number];
    bool isMeant =
        options.loss.empty() ? entry.result_count == 1 || returnsTheSame(entry, step()) : options.loss == entry.name;
    if (entry.updates || !isMeant || !returnsNumbers(entry) || !takesTheSame(entry, step()))
      continue;
    lossNumber = number;
    if (options.loss.empty())
      suitable.push_back(entry.name);
  }
  if (lossNumber < 0 && !options.loss.empty())
    return createStringError(formatv("no entry point '{0}' with the inputs of '{1}' whose results are f32 numbers",
                                     options.loss, step().name));
  return Error::success();
}

/// Draws all parameters; then those in the file `weights`, if there is one, have its values.
Error Trainer::initialise(const Options &options) {
  attn_status status;
  attn_weights *drawn = nullptr;
  attn_code code = attn_weights_initialise(&model, options.seed, executor(), &drawn, &status);
  runner.setWeights(drawn);
  if (code != ATTN_OK || options.weights.empty())
    return toError(code, status);
  auto applied = Initialisation::apply(options.weights, weights());
  if (!applied)
    return applied.takeError();
  fromFile = std::move(*applied);
  return repackWeights();
}

Error Trainer::loadWeights(const Options &options) {
  if (!options.resumes)
    return initialise(options);
  auto file = WeightsFiles::open(options.weights);
  if (!file)
    return file.takeError();
  std::string object = attn_safetensors_object(file->get());
  if (object != model.identity && !options.allowOther)
    return createStringError(formatv(
        "{0}: was written by {1}, so continuing would not be reproducible to the bit; --allow-other continues anyway",
        file->name(), object.empty() ? "another program" : "another object"));
  return runner.loadWeights(options.weights, ATTN_TRAINABLE, 0);
}

static int64_t product(const int64_t *sizes, int32_t rank) {
  return std::accumulate(sizes, sizes + rank, int64_t(1), std::multiplies<>());
}

/// A step is done after the last call of its last entry point.
int64_t Trainer::stepsDone() const {
  const StepEntries::Each &last = stepEntries.all().back();
  std::string name = std::string(stepEntries.entry(last).name) + ".count";
  for (int64_t p = 0; p < model.parameter_count; ++p)
    if (name == model.parameters[p].name)
      return *static_cast<const int32_t *>(attn_weights_table(weights())[model.parameters[p].first]) / last.calls;
  return 0;
}

/// The inputs of the entry point at a place of the step: those of a batch with the same names, and the key of random
/// draws. Entry points that train in turn have different keys, because each counts only its own calls.
std::vector<HostTensor> Trainer::inputsOf(size_t place, Batch batch) const {
  constexpr uint64_t apart = 0x9e3779b9; // 2^32 divided by the golden ratio: keys of places differ in many bits
  const attn_entry_info &entry = stepEntries.entry(stepEntries.all()[place]);
  std::vector<HostTensor> inputs;
  for (const attn_tensor_info &input : ArrayRef(entry.tensors, size_t(inputsBeforeKey(entry))))
    inputs.push_back(std::move(batch.inputs[size_t(inputNumber(step(), input.name))]));
  append_range(inputs, drawKey(entry, seed + place * apart, 0));
  return inputs;
}

Expected<double> Trainer::flopsOfStep(const Batch &batch) const {
  double flops = 0;
  for (auto [place, each] : enumerate(stepEntries.all())) {
    std::vector<HostTensor> inputs = inputsOf(place, batch);
    auto dimensions = runner.dimensionsOf(each.number, inputs);
    if (!dimensions)
      return dimensions.takeError();
    flops += double(each.calls) * double(stepEntries.entry(each).flops(dimensions->data()));
  }
  return flops;
}

static Expected<std::vector<double>> numbersOf(Expected<std::vector<HostTensor>> results) {
  if (!results)
    return results.takeError();
  std::vector<double> numbers;
  for (const HostTensor &result : *results)
    numbers.push_back(result.at(0));
  return numbers;
}

Expected<Trainer::TakenStep> Trainer::takeStep(const TrainingData &data, BatchShape shape,
                                               function_ref<bool(double)> afterCall) {
  TakenStep taken;
  int64_t number = stepsDone() * stepEntries.callsPerStep();
  for (auto [place, each] : enumerate(stepEntries.all())) {
    std::vector<double> sums(size_t(stepEntries.entry(each).result_count), 0);
    for (int64_t call = 0; call < each.calls; ++call) {
      std::vector<HostTensor> inputs = inputsOf(place, data.batch(shape, seed, number++));
      auto from = std::chrono::steady_clock::now();
      auto numbers = numbersOf(runner.run(each.number, inputs));
      taken.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
      if (!numbers)
        return numbers.takeError();
      if (!afterCall(numbers->front()))
        return taken;
      for (auto [sum, number] : zip_equal(sums, *numbers))
        sum += number;
    }
    for (double sum : sums)
      taken.means.push_back(sum / double(each.calls));
  }
  return taken;
}

/// Other draws than those of training steps come from the complement of the seed.
Expected<std::vector<HostTensor>> Trainer::run(int64_t entry, std::vector<HostTensor> inputs, int64_t batch) {
  append_range(inputs, drawKey(model.entries[entry], ~seed, batch));
  return runner.run(entry, inputs);
}

Expected<std::vector<double>> Trainer::validate(Batch batch, int64_t number) {
  return numbersOf(run(lossNumber, std::move(batch.inputs), number));
}

std::vector<std::string> Trainer::validationNames() const {
  std::vector<std::string> names = {"validation"};
  if (canValidate())
    for (const attn_tensor_info &metric : resultsOf(model.entries[lossNumber]).drop_front())
      names.push_back(names.front() + "_" + metric.name);
  return names;
}

Error Trainer::repackWeights() {
  attn_status status;
  return toError(attn_weights_repack(weights(), executor(), &status), status);
}

std::string Trainer::firstNotFinite() const {
  for (const attn_parameter_info &info : ArrayRef(model.parameters, model.parameter_count)) {
    int64_t count = product(info.shape, info.rank), places = product(info.counts, info.list_rank);
    for (int64_t place = info.first; info.dtype == ATTN_F32 && place < info.first + places; ++place) {
      auto *values = static_cast<const float *>(attn_weights_table(weights())[place]);
      if (!std::all_of(values, values + count, [](float value) { return std::isfinite(value); }))
        return info.name;
    }
  }
  return {};
}

Error Trainer::save(const std::string &path, bool states) const {
  attn_status status;
  return toError(attn_weights_save(weights(), path.c_str(), states ? ATTN_SAVE_STATES : 0, &status), status);
}

} // namespace attnc
