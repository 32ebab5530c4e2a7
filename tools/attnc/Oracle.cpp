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
  for (int64_t p = 0; p < call.model.parameter_count; ++p) {
    const attn_parameter_info &info = call.model.parameters[p];
    int64_t entries = 1;
    for (int32_t d = 0; d < info.list_rank; ++d)
      entries *= info.counts[d];
    for (int64_t entry = 0; entry < entries; ++entry) {
      const void *values = attn_weights_table(call.runner.context.weights)[info.first + entry];
      if (!values)
        continue; // a state of training, which a file of weights for inference lacks
      char name[256];
      attn_parameter_name(&info, entry, name, sizeof name);
      result[name] = arrayOf(info.dtype, ArrayRef<int64_t>(info.shape, info.rank), values);
    }
  }
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
  return isReal ? exact + (std::isfinite(storage) ? 4 * storage : 0) : 0;
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
  std::vector<reference::Array> narrow;   ///< results with tensors stored as --precision says; none where that is f32
};

} // namespace

static reference::Parameters roundedTo(reference::Rounding way, reference::Parameters parameters) {
  for (auto &[name, array] : parameters)
    if (array.element == reference::Element::F32)
      for (double &value : array.values)
        value = reference::stored(value, way);
  return parameters;
}

/// Nothing for f32.
static std::optional<reference::Rounding> roundingOf(Precision precision) {
  switch (precision) {
  case Precision::F32:
    return std::nullopt;
  case Precision::TF32:
    return reference::Rounding::TensorsToTf32;
  case Precision::BF16:
    return reference::Rounding::TensorsToBf16;
  case Precision::F16:
    return reference::Rounding::TensorsToF16;
  }
  llvm_unreachable("four precisions");
}

/// Whether some tensor of the entry point, or a weight that it reads, is stored in 16 bits.
static bool storesNarrow(const CompileOptions &options, StringRef entry) {
  CompileOptions narrowed = options;
  narrowed.dump = Phase::Narrow;
  Compilation made;
  std::string messages;
  raw_string_ostream stream(messages);
  if (compile(narrowed, made, stream) != Outcome::Done)
    return true; // it was compiled before
  bool isWide = any_of(made.storage, [&](const StorageChoice &choice) {
    return choice.kind == StorageChoice::Kind::Entry && choice.entry == entry;
  });
  return !isWide && any_of(made.storage, [&](const StorageChoice &choice) {
    return choice.isNarrow && (choice.entry.empty() || choice.entry == entry);
  });
}

static Expected<Exact> interpretCall(const CompileOptions &options, const Invocation &call,
                                     const reference::Parameters &before) {
  CompileOptions derivedOnly = options;
  derivedOnly.dump = Phase::Derive;
  auto made = std::make_unique<Compilation>();
  std::string messages;
  raw_string_ostream stream(messages);
  // Of the program as it was written, but where attention has to be known as such to be derived from.
  derivedOnly.raises = false;
  if (compile(derivedOnly, *made, stream) != Outcome::Done) {
    messages.clear();
    derivedOnly.raises = true;
    made = std::make_unique<Compilation>();
    if (compile(derivedOnly, *made, stream) != Outcome::Done)
      return createStringError(messages);
  }
  auto function = made->module->lookupSymbol<mlir::func::FuncOp>(call.entry->name);
  if (!function)
    return createStringError("the model file has no entry point '" + Twine(call.entry->name) + "'");
  std::vector<reference::Array> inputs;
  for (int32_t i = 0; i < call.entry->input_count; ++i)
    inputs.push_back(arrayOf(call.tensors[i]));
  Exact exact;
  auto results = reference::interpret(function, inputs, before, &exact.updates);
  if (!results)
    return results.takeError();
  exact.results = std::move(*results);
  if (std::optional<reference::Rounding> way = roundingOf(options.precision);
      way && (options.precision == Precision::TF32 || storesNarrow(options, call.entry->name))) {
    auto narrow = reference::interpret(function, inputs, roundedTo(*way, before), nullptr, *way);
    if (!narrow)
      return narrow.takeError();
    exact.narrow = std::move(*narrow);
  }
  if (exact.updates.empty())
    return exact;
  auto rounded = reference::interpret(function, inputs, before, &exact.rounded, reference::Rounding::ToF32);
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
  if (!exact.narrow.empty())
    deviation.storage = deviationOf("", array, 1, [&](size_t k) { return exact.narrow[number].values[k]; }).difference;
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

Expected<std::vector<Deviation>> compareWithOracle(const CompileOptions &options, const Invocation &call,
                                                   const reference::Parameters &before) {
  auto exact = interpretCall(options, call, before);
  if (!exact)
    return exact.takeError();
  std::vector<Deviation> deviations;
  // A state is compared as it is afterwards; the oracle began with that too, for to append the same again changes
  // nothing.
  for (size_t i = 0; i < exact->results.size(); ++i) {
    const HostTensor &compiled = call.tensors[placeOf(*call.entry, i)];
    deviations.push_back(resultDeviation(*exact, call, i, [&](size_t k) { return compiled.at(k); }));
  }
  if (call.entry->updates)
    compareUpdates(*exact, call, before, deviations);
  return deviations;
}

Expected<std::vector<Answer>> answersOf(const CompileOptions &options, const Invocation &call) {
  auto exact = interpretCall(options, call, parametersOf(call));
  if (!exact)
    return exact.takeError();
  std::vector<Answer> answers;
  for (size_t i = 0; i < exact->results.size(); ++i) {
    const reference::Array &array = exact->results[i];
    answers.push_back({array, resultDeviation(*exact, call, i, [&](size_t k) { return array.values[k]; })});
  }
  return answers;
}

} // namespace attnc
