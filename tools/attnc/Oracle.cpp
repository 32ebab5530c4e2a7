#include "tools/attnc/Oracle.h"
#include "compiler/Reference/Reference.h"
#include "compiler/Reference/Tolerance.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace attnc {

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

/// What is stored in fewer bits are the numbers that it stands for.
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

double Deviation::limit(double c) const {
  double one = std::max(reference::unitRoundoff * largest, rounding);
  double exact = reference::tolerance(c, static_cast<double>(terms)) / reference::unitRoundoff * one;
  return isReal ? exact + (std::isfinite(storage) ? storage : 0) : 0;
}

static Deviation deviationOf(const std::string &name, const reference::Array &exact, double leastMagnitude,
                             function_ref<double(size_t)> compiled) {
  Deviation deviation;
  deviation.name = name;
  deviation.isReal = exact.element == reference::Element::F32;
  deviation.largest = reference::largestMagnitude(exact.values, leastMagnitude);
  deviation.terms = exact.terms;
  for (size_t k = 0; k < exact.values.size(); ++k)
    deviation.difference = std::max(deviation.difference, differenceOf(compiled(k), exact.values[k]));
  return deviation;
}

namespace {

/// What the oracle gives for one call.
struct Exact {
  std::vector<reference::Array> results;
  reference::Parameters updates, rounded; ///< the latter with results of ops in f32
  std::vector<reference::Array> stored;   ///< results with tensors rounded as --precision says; none where that is f32
  double share = 0;                       ///< of the distance between the two that a result may add
};

/// A call as the oracle runs it.
struct Interpretation {
  mlir::func::FuncOp function;
  std::vector<reference::Array> inputs;
  reference::Parameters parameters;

  Expected<std::vector<reference::Array>> run(reference::Rounding rounding = reference::Rounding::None,
                                              reference::Parameters *updates = nullptr) const {
    return reference::interpret(function, inputs, parameters, updates, rounding);
  }
};

} // namespace

static reference::Parameters roundedToTf32(reference::Parameters parameters) {
  for (auto &[name, array] : parameters)
    if (array.element == reference::Element::F32)
      for (double &value : array.values)
        value = reference::stored(value, reference::Rounding::TensorsToTf32);
  return parameters;
}

/// Whether some tensor of the entry point, or a weight that it reads, is stored in 16 bits.
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
  options.overrides.clear(); // which are about kernels
  std::string messages;
  raw_string_ostream stream(messages);
  for (bool raises : {false, true}) { // where attention has to be known as such to be derived from
    options.raises = raises;
    messages.clear();
    auto made = std::make_unique<Compilation>();
    if (compile(options, *made, stream) == Outcome::Done)
      return made;
  }
  return createStringError(messages);
}

/// With what --precision rounds rounded: twice as much is allowed where exactly that is known (compareWithOracle), and
/// of tf32, where the oracle rounds other tensors than the operands of products, four times.
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
  if (exact.updates.empty())
    return exact;
  auto rounded = asWritten.run(reference::Rounding::ToF32, &exact.rounded);
  if (!rounded)
    return rounded.takeError();
  return exact;
}

/// The oracle's results are those of the call, then its states, which are the last of its inputs.
static size_t placeOf(const attn_entry_info &entry, size_t result) {
  bool isState = result >= size_t(entry.result_count);
  return entry.input_count + result - (isState ? entry.result_count + entry.state_count : 0);
}

static Deviation resultDeviation(const Exact &exact, const Invocation &call, size_t number,
                                 function_ref<double(size_t)> compiled) {
  const reference::Array &array = exact.results[number];
  const char *name = call.entry->tensors[placeOf(*call.entry, number)].name;
  Deviation deviation = deviationOf(name, array, 1, compiled);
  if (!exact.stored.empty())
    deviation.storage =
        exact.share * deviationOf("", array, 1, [&](size_t k) { return exact.stored[number].values[k]; }).difference;
  if (array.values.size() > 1 && all_equal(array.values))
    deviation.constant = array.values[0];
  return deviation;
}

/// What the call has updated, and what it has changed and should not have.
static void compareUpdates(const Exact &exact, const Invocation &call, const reference::Parameters &before,
                           std::vector<Deviation> &deviations) {
  for (const auto &[name, found] : parametersOf(call)) {
    auto updated = exact.updates.find(name);
    bool isUpdated = updated != exact.updates.end();
    const reference::Array &wanted = isUpdated ? updated->second : before.at(name);
    Deviation deviation = deviationOf(name, wanted, 0, [&](size_t k) { return found.values[k]; });
    deviation.isUpdated = true;
    if (isUpdated) {
      const reference::Array &rounded = exact.rounded.at(name);
      deviation.rounding = deviationOf(name, wanted, 0, [&](size_t k) { return rounded.values[k]; }).difference;
    }
    deviation.isReal &= isUpdated;
    if (isUpdated || deviation.difference != 0)
      deviations.push_back(deviation);
  }
}

/// What the call left of each of the oracle's results. A state is compared as it is afterwards; the oracle began with
/// that too, for to append the same again changes nothing.
static const HostTensor &compiledResult(const Invocation &call, size_t number) {
  return call.tensors[placeOf(*call.entry, number)];
}

/// Where integers are other than the oracle's: may rounding have made them? As narrow left the module, with formulas in
/// f32, and then with these a little off, by one draw after the other.
static Error forgiveTies(const Exact &exact, const Interpretation &asCompiled, const Invocation &call,
                         MutableArrayRef<Deviation> deviations) {
  constexpr uint32_t draws = 8;
  std::vector<std::vector<size_t>> open(exact.results.size()); // elements that nothing has explained so far
  for (auto [number, result] : enumerate(exact.results))
    for (size_t k = 0; result.element != reference::Element::F32 && k < result.values.size(); ++k)
      if (compiledResult(call, number).at(int64_t(k)) != result.values[k])
        open[number].push_back(k);
  std::vector<reference::Rounding> ways = {reference::Rounding::None, reference::Rounding::ToF32};
  for (uint32_t draw = 0; draw < draws; ++draw)
    ways.emplace_back(reference::Rounding::Loosely, draw);
  for (reference::Rounding way : ways) {
    if (all_of(open, [](const std::vector<size_t> &each) { return each.empty(); }))
      break;
    auto results = asCompiled.run(way);
    if (!results)
      return results.takeError();
    for (auto [number, result] : enumerate(*results)) {
      const HostTensor &compiled = compiledResult(call, number);
      size_t before = open[number].size();
      erase_if(open[number], [&](size_t k) { return compiled.at(int64_t(k)) == result.values[k]; });
      deviations[number].ties += int64_t(before - open[number].size());
    }
  }
  for (auto [number, result] : enumerate(exact.results))
    if (deviations[number].ties > 0) {
      deviations[number].difference = 0;
      for (size_t k : open[number])
        deviations[number].difference = std::max(
            deviations[number].difference, differenceOf(compiledResult(call, number).at(int64_t(k)), result.values[k]));
    }
  return Error::success();
}

namespace {

/// An entry point as it was written, and as it was compiled.
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
                                                   const Invocation &call, const reference::Parameters &before) {
  auto written = compileAsWritten(options);
  if (!written)
    return written.takeError();
  auto sources = sourcesOf(**written, made, call, before);
  if (!sources)
    return sources.takeError();
  auto exact = interpretCall(sources->asWritten, sources->asCompiled, options.precision);
  if (!exact)
    return exact.takeError();
  std::vector<Deviation> deviations;
  for (size_t i = 0; i < exact->results.size(); ++i) {
    const HostTensor &compiled = compiledResult(call, i);
    deviations.push_back(resultDeviation(*exact, call, i, [&](size_t k) { return compiled.at(int64_t(k)); }));
  }
  if (Error error = forgiveTies(*exact, sources->asCompiled, call, deviations))
    return std::move(error);
  if (call.entry->updates)
    compareUpdates(*exact, call, before, deviations);
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
