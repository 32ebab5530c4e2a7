#include "tools/attnc/Call/Oracle.h"
#include "compiler/Reference/Reference.h"
#include "compiler/Reference/RoundingSamples.h"
#include "compiler/Reference/StorageBound.h"
#include "compiler/Reference/Tolerance.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace attnc {

using reference::Interpretation;

static reference::Element elementOf(int32_t dtype) {
  return dtype == ATTN_I32    ? reference::Element::I32
         : dtype == ATTN_BOOL ? reference::Element::I1
                              : reference::Element::F32;
}

static reference::Array arrayOf(int32_t dtype, ArrayRef<int64_t> shape, const void *data) {
  reference::Array result(elementOf(dtype), shape);
  auto copy = [&](const auto *values) { std::copy_n(values, result.values.size(), result.values.begin()); };
  if (dtype == ATTN_F32)
    copy(static_cast<const float *>(data));
  else if (dtype == ATTN_I32)
    copy(static_cast<const int32_t *>(data));
  else
    copy(static_cast<const int8_t *>(data)); // 0 or 1
  return result;
}

/// Elements of 16 bits are converted to the numbers that they represent.
static reference::Array arrayOf(const HostTensor &tensor) {
  reference::Array result(elementOf(tensor.dtype), tensor.shape);
  for (size_t k = 0; k < result.values.size(); ++k)
    result.values[k] = tensor.at(static_cast<int64_t>(k));
  return result;
}

reference::Parameters parametersOf(const Invocation &call) {
  reference::Parameters result;
  for (const auto &[name, info, values] : call.parameters())
    result[name] = arrayOf(info.dtype, ArrayRef<int64_t>(info.shape, info.rank), values);
  return result;
}

static double differenceOf(double compiled, double exact) {
  if (std::isnan(exact) || std::isinf(exact))
    return (std::isnan(exact) && std::isnan(compiled)) || compiled == exact ? 0 : HUGE_VAL;
  return std::isfinite(compiled) ? std::fabs(compiled - exact) : HUGE_VAL;
}

/// The factor of rounding samples in the limit: 1 for the default c.
static double samplesScale(double c) { return c / 8; }

double Deviation::limit(double c) const {
  double sums = reference::tolerance(c, static_cast<double>(terms)) * largest;
  return isReal ? sums + samplesScale(c) * rounding + (std::isfinite(storage) ? storage : 0) : 0;
}

static Deviation deviationOf(const std::string &name, const reference::Array &exact,
                             llvm::function_ref<double(size_t)> compiled) {
  Deviation deviation;
  deviation.name = name;
  deviation.isReal = exact.element == reference::Element::F32;
  deviation.largest = reference::largestMagnitude(exact.values, 0);
  deviation.terms = exact.terms;
  for (size_t k = 0; k < exact.values.size(); ++k)
    deviation.difference = std::max(deviation.difference, differenceOf(compiled(k), exact.values[k]));
  return deviation;
}

namespace {

/// The oracle's results for one call.
struct Exact {
  std::vector<reference::Array> results;
  reference::Parameters updates;
  std::vector<reference::Array> stored; ///< results with tensors rounded to --precision; empty for f32
  double share = 0;                     ///< factor of the distance between `results` and `stored` in the tolerance
  double roundoff = 0;                  ///< unit roundoff of 16-bit storage; 0 without it
  std::vector<double> bounds;           ///< bounds of the movement of each result by 16-bit storage
};

} // namespace

static reference::Parameters roundedToTf32(reference::Parameters parameters) {
  for (auto &[name, array] : parameters)
    if (array.element == reference::Element::F32)
      for (double &value : array.values)
        value = reference::stored(value, reference::Rounding::TensorsToTf32);
  return parameters;
}

/// Whether a tensor of the entry point, or a weight that it reads, is stored in 16 bits.
static bool storesNarrow(mlir::func::FuncOp entry) {
  auto isStoredSo = [](mlir::Type type) { return isNarrow(mlir::getElementTypeOrSelf(type)); };
  auto found = entry.walk([&](mlir::Operation *op) {
    bool reads = any_of(op->getOperandTypes(), isStoredSo), makes = any_of(op->getResultTypes(), isStoredSo);
    return reads || makes ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return found.wasInterrupted();
}

Expected<std::unique_ptr<Compilation>> compileAsWritten(CompileOptions options) {
  options.dump = Phase::Derive;
  options.overrides.clear(); // they name kernels, which do not exist yet
  std::string messages;
  raw_string_ostream stream(messages);
  for (bool raises : {false, true}) { // derive may require raised attention
    options.raises = raises;
    messages.clear();
    auto made = std::make_unique<Compilation>();
    if (compile(options, *made, stream) == Outcome::Done)
      return made;
  }
  return createStringError(messages);
}

/// Interprets the call with the roundings of --precision. The tolerance is twice the distance of the results if the
/// stored tensors are known exactly (compareWithOracle). It is four times for tf32, because the oracle rounds other
/// tensors than the operands of products.
static Error interpretStored(const Interpretation &asWritten, const Interpretation &asCompiled, Precision precision,
                             Exact &exact) {
  bool isTf32 = precision == Precision::TF32;
  if (!isTf32 && !storesNarrow(asCompiled.function))
    return Error::success();
  Interpretation rounded = isTf32 ? asWritten : asCompiled;
  if (isTf32)
    rounded.parameters = roundedToTf32(std::move(rounded.parameters));
  auto stored = rounded.run(isTf32 ? reference::Rounding::TensorsToTf32 : reference::Rounding::None);
  if (!stored)
    return stored.takeError();
  exact.stored = std::move(*stored);
  exact.share = isTf32 ? 4 : 2;
  if (isTf32)
    return Error::success();
  exact.roundoff = unitRoundoff(*narrowFormat(*storedElement(precision)));
  auto bounds = reference::storageBounds(asWritten, exact.results, exact.roundoff);
  if (!bounds)
    return bounds.takeError();
  exact.bounds = std::move(*bounds);
  return Error::success();
}

static Expected<Exact> interpretCall(const Interpretation &asWritten, const Interpretation &asCompiled,
                                     Precision precision) {
  Exact exact;
  auto results = asWritten.run(reference::Rounding::None, &exact.updates);
  if (!results)
    return results.takeError();
  exact.results = std::move(*results);
  if (Error error = interpretStored(asWritten, asCompiled, precision, exact))
    return std::move(error);
  return exact;
}

/// The oracle's results are those of the call, then its states, which are its last inputs.
static size_t placeOf(const attn_entry_info &entry, size_t result) {
  bool isState = result >= size_t(entry.result_count);
  return entry.input_count + result - (isState ? entry.result_count + entry.state_count : 0);
}

static Deviation resultDeviation(const Exact &exact, const Invocation &call, size_t number,
                                 llvm::function_ref<double(size_t)> compiled) {
  const reference::Array &array = exact.results[number];
  const char *name = call.entry->tensors[placeOf(*call.entry, number)].name;
  Deviation deviation = deviationOf(name, array, compiled);
  if (!exact.stored.empty()) {
    double moved = deviationOf("", array, [&](size_t k) { return exact.stored[number].values[k]; }).difference;
    deviation.storage = exact.share * moved;
    if (!exact.bounds.empty() && std::isfinite(moved) && deviation.storage > exact.bounds[number]) {
      deviation.storage = exact.bounds[number];
      deviation.storedBy = moved;
    }
  }
  auto isSame = [&](double value) {
    return value == array.values[0] || (std::isnan(value) && std::isnan(array.values[0]));
  };
  if (array.values.size() > 1 && all_of(array.values, isSame))
    deviation.constant = array.values[0];
  return deviation;
}

/// The tensors after the call that correspond to the oracle's results. A state is compared after the call. The oracle
/// starts with the state after the call, too, because to append the same rows again changes nothing.
static const HostTensor &compiledResult(const Invocation &call, size_t number) {
  return call.tensors[placeOf(*call.entry, number)];
}

namespace {

/// A tensor after a call, the oracle's, and their deviation.
struct Comparison {
  const reference::Array *exact;
  std::function<double(size_t)> compiled;
  Deviation deviation;
  std::string parameter = {}; ///< name of the parameter that the call updates; empty for a result
  reference::RoundingSamples samples = reference::RoundingSamples(*exact);
  std::vector<size_t> open = {}, explained = {}; ///< elements beyond the tolerance of sums

  /// Finds the elements that are beyond the limit without samples.
  void start(double c) {
    for (size_t k = 0; k < exact->values.size(); ++k)
      if (!samples.explains(k, compiled(k), deviation.limit(c)))
        open.push_back(k);
  }

  void add(reference::Array sample, double c) {
    samples.add(std::move(sample));
    auto isExplained = [&](size_t k) { return samples.explains(k, compiled(k), deviation.limit(c), samplesScale(c)); };
    auto middle = std::partition(open.begin(), open.end(), [&](size_t k) { return !isExplained(k); });
    explained.insert(explained.end(), middle, open.end());
    open.erase(middle, open.end());
  }

  /// After the last sample: finds the element that exceeds its limit most, or else is nearest to it.
  void finish(double c) {
    if (explained.empty() && open.empty())
      return; // the deviation keeps the largest difference
    if (!deviation.isReal)
      deviation.ties = int64_t(explained.size());
    deviation.difference = 0;
    double nearest = -HUGE_VAL, sums = deviation.limit(c);
    for (size_t k : open.empty() ? explained : open) {
      double difference = differenceOf(compiled(k), exact->values[k]), moved = samples.movement(k);
      bool isTaken = open.empty() && !deviation.isReal; // equals a sample
      double beyond = difference - sums - samplesScale(c) * moved;
      if (isTaken || beyond <= nearest)
        continue;
      nearest = beyond;
      deviation.difference = difference;
      deviation.rounding = deviation.isReal ? moved : 0;
    }
  }
};

} // namespace

/// The parameters that the call updates, and others that it has changed all the same.
static void addUpdates(const Exact &exact, const reference::Parameters &found, const reference::Parameters &before,
                       std::vector<Comparison> &comparisons) {
  for (const auto &[name, values] : found) {
    auto updated = exact.updates.find(name);
    bool isUpdated = updated != exact.updates.end();
    const reference::Array &wanted = isUpdated ? updated->second : before.at(name);
    auto compiled = [&values = values](size_t k) { return values.values[k]; };
    Deviation deviation = deviationOf(name, wanted, compiled);
    deviation.isUpdated = true;
    deviation.isReal &= isUpdated;
    if (isUpdated || deviation.difference != 0)
      comparisons.push_back({&wanted, compiled, deviation, isUpdated ? name : ""});
  }
}

/// Adds a sample to the comparisons that have unexplained elements, of reals or of integers.
static Error addSample(std::vector<Comparison> &comparisons, size_t results, const Interpretation &source,
                       reference::Rounding way, bool ofReals, double c) {
  auto isOpen = [&](const Comparison &each) { return each.deviation.isReal == ofReals && !each.open.empty(); };
  if (none_of(comparisons, isOpen))
    return Error::success();
  reference::Parameters updates;
  auto sample = source.run(way, &updates);
  if (!sample)
    return sample.takeError();
  for (auto [number, each] : enumerate(comparisons))
    if (isOpen(each) && (number < results || !each.parameter.empty()))
      each.add(number < results ? (*sample)[number] : updates.at(each.parameter), c);
  return Error::success();
}

/// Tests by rounding samples whether rounding explains the differences. The oracle interprets the model as written,
/// because the compiled model may contain the fault. If tensors are stored in 16 bits, this rounding affects integers,
/// too, so samples for integers are those of the model as compiled.
static Error explain(std::vector<Comparison> &comparisons, size_t results, const Interpretation &asWritten,
                     const Interpretation &asCompiled, double c) {
  for (Comparison &each : comparisons)
    each.start(c);
  bool isNarrow = storesNarrow(asCompiled.function);
  if (isNarrow)
    if (Error error = addSample(comparisons, results, asCompiled, reference::Rounding::None, /*ofReals=*/false, c))
      return error;
  for (reference::Rounding way : reference::sampledRoundings())
    for (bool ofReals : {true, false}) {
      const Interpretation &source = isNarrow && !ofReals ? asCompiled : asWritten;
      if (Error error = addSample(comparisons, results, source, way, ofReals, c))
        return error;
    }
  for (Comparison &each : comparisons)
    each.finish(c);
  return Error::success();
}

/// If storage in 16 bits changes more integers of a result than a perturbation of the data by u does, none is
/// explained.
static Error limitTies(std::vector<Comparison> &comparisons, const Exact &exact, const Interpretation &asWritten) {
  MutableArrayRef<Comparison> results = MutableArrayRef(comparisons).take_front(exact.results.size());
  if (exact.roundoff == 0 || none_of(results, [](const Comparison &each) { return each.deviation.ties > 0; }))
    return Error::success();
  auto most = reference::changesByStorage(asWritten, exact.results, exact.roundoff);
  if (!most)
    return most.takeError();
  for (auto [each, changes] : zip(results, *most))
    if (each.deviation.ties > int64_t(changes)) {
      each.deviation.ties = 0;
      each.deviation.difference = deviationOf("", *each.exact, each.compiled).difference;
    }
  return Error::success();
}

namespace {

/// An entry point of the model as written, and of its compile.
struct Sources {
  Interpretation asWritten, asCompiled;
};

} // namespace

static Expected<Sources> sourcesOf(const Compilation &written, const Compilation &made, const Invocation &call,
                                   const reference::Parameters &before) {
  Sources sources;
  StringRef name = call.entry->name;
  sources.asWritten = {mlir::ModuleOp(*written.module).lookupSymbol<mlir::func::FuncOp>(name), {}, before};
  if (!sources.asWritten.function)
    return createStringError("the model file has no entry point '" + name + "'");
  for (int32_t i = 0; i < call.entry->input_count; ++i)
    sources.asWritten.inputs.push_back(arrayOf(call.tensors[i]));
  sources.asCompiled = sources.asWritten;
  sources.asCompiled.function = mlir::ModuleOp(*made.module).lookupSymbol<mlir::func::FuncOp>(name);
  return sources;
}

Expected<std::vector<Deviation>> compareWithOracle(const CompileOptions &options, const Compilation &made,
                                                   const Invocation &call, const reference::Parameters &before,
                                                   double c) {
  auto written = compileAsWritten(options);
  if (!written)
    return written.takeError();
  auto sources = sourcesOf(**written, made, call, before);
  if (!sources)
    return sources.takeError();
  auto exact = interpretCall(sources->asWritten, sources->asCompiled, options.precision);
  if (!exact)
    return exact.takeError();
  std::vector<Comparison> comparisons;
  for (auto [number, result] : enumerate(exact->results)) {
    auto compiled = [&, number](size_t k) { return compiledResult(call, number).at(int64_t(k)); };
    comparisons.push_back({&result, compiled, resultDeviation(*exact, call, number, compiled)});
  }
  reference::Parameters after = call.entry->updates ? parametersOf(call) : reference::Parameters();
  addUpdates(*exact, after, before, comparisons);
  if (Error error = explain(comparisons, exact->results.size(), sources->asWritten, sources->asCompiled, c))
    return std::move(error);
  if (Error error = limitTies(comparisons, *exact, sources->asWritten))
    return std::move(error);
  std::vector<Deviation> deviations;
  for (const Comparison &each : comparisons)
    deviations.push_back(each.deviation);
  return deviations;
}

Expected<std::vector<Answer>> answersOf(const Compilation &written, const Compilation &made, Precision precision,
                                        const Invocation &call) {
  auto sources = sourcesOf(written, made, call, parametersOf(call));
  if (!sources)
    return sources.takeError();
  auto exact = interpretCall(sources->asWritten, sources->asCompiled, precision);
  if (!exact)
    return exact.takeError();
  std::vector<Answer> answers;
  for (size_t i = 0; i < exact->results.size(); ++i) {
    const reference::Array &array = exact->results[i];
    answers.push_back({array, resultDeviation(*exact, call, i, [&](size_t k) { return array.values[k]; })});
    answers.back().allowed.largest = std::max(1.0, answers.back().allowed.largest); // no rounding samples follow
  }
  return answers;
}

std::vector<Deviation> compareWithAnswers(const Invocation &call, ArrayRef<Answer> answers) {
  std::vector<Deviation> deviations;
  for (auto [number, answer] : enumerate(answers)) {
    Deviation deviation = answer.allowed;
    const HostTensor &compiled = compiledResult(call, number);
    for (auto [k, exact] : enumerate(answer.exact.values))
      deviation.difference = std::max(deviation.difference, differenceOf(compiled.at(int64_t(k)), exact));
    deviations.push_back(std::move(deviation));
  }
  return deviations;
}

} // namespace attnc
