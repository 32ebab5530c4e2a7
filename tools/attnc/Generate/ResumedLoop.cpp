#include "tools/attnc/Generate/ResumedLoop.h"
#include "tools/attnc/Call/EntryResults.h"
#include "llvm/ADT/StringSet.h"
#include <algorithm>
#include <chrono>

using namespace llvm;

namespace attnc {

static ArrayRef<attn_tensor_info> inputsOf(const attn_entry_info &entry, bool areStates) {
  ArrayRef<attn_tensor_info> all(entry.tensors, size_t(entry.input_count));
  return areStates ? all.take_back(size_t(entry.state_count)) : all.drop_back(size_t(entry.state_count));
}

static double secondsSince(std::chrono::steady_clock::time_point before) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

ResumedLoop::ResumedLoop(const GenerateOptions &options, const Vocabularies &vocabularies, const attn_model &model,
                         StringRef writer)
    : Writer(options, vocabularies, model), writer(writer) {
  auto find = [&](StringRef suffix) { return attn_find_entry(&model, (writer + suffix).str().c_str()); };
  beginEntry = find(ResumedNames::begin);
  prefillEntry = find(ResumedNames::prefill);
  stepsEntry = find(ResumedNames::steps);
}

Error ResumedLoop::readInputs() {
  const attn_entry_info &prefill = model.entries[prefillEntry], &steps = model.entries[stepsEntry];
  for (const attn_tensor_info &info : inputsOf(prefill, /*areStates=*/false))
    if (info.name == ResumedNames::tokens)
      contextSize = limitOf(prefill, info.shape[1]);
  atMost = *constantSize(resultsOf(steps).front().shape[1]);
  SmallVector<const attn_entry_info *> entries = {&prefill, &steps};
  llvm::StringSet<> known;
  if (beginEntry >= 0) {
    entries.insert(entries.begin(), &model.entries[beginEntry]);
    for (const attn_tensor_info &info : resultsOf(model.entries[beginEntry]))
      known.insert(info.name);
  }
  for (StringRef name : {ResumedNames::tokens, ResumedNames::length, ResumedNames::read, ResumedNames::first,
                         ResumedNames::count, ResumedNames::ends})
    known.insert(name);
  return inputs.read(writer, entries, [&](StringRef input) { return known.contains(input); });
}

/// Computes the values that no token changes, at the first call.
Error ResumedLoop::callBegin() {
  if (beginEntry < 0 || !begunValues.empty())
    return Error::success();
  auto results = run({beginEntry, {}, 0, 0});
  if (!results)
    return results.takeError();
  for (auto [info, value] : zip_equal(resultsOf(model.entries[beginEntry]), *results))
    begunValues[info.name] = std::move(value);
  return Error::success();
}

Expected<HostTensor> ResumedLoop::inputOf(const attn_tensor_info &info, const Call &call) const {
  StringRef name = info.name;
  HostTensor value(ATTN_I32, std::vector<int64_t>(size_t(info.rank), 1));
  if (name == ResumedNames::tokens) {
    value = HostTensor(ATTN_I32, {1, int64_t(call.tokens.size())});
    copy(call.tokens, value.integers());
  } else if (name == ResumedNames::ends) {
    value = HostTensor(ATTN_I32, {ResumedNames::maxEnds});
    std::fill_n(value.integers(), ResumedNames::maxEnds, -1);
    copy(ArrayRef(endTokens).take_front(ResumedNames::maxEnds), value.integers());
  } else if (name == ResumedNames::length) {
    value.set(0, double(call.length));
  } else if (name == ResumedNames::read) {
    value.set(0, double(call.tokens.size()));
  } else if (name == ResumedNames::first) {
    value.set(0, double(drawn));
  } else if (name == ResumedNames::count) {
    value.set(0, double(call.steps));
  } else {
    return inputs.valueOf(info, seed());
  }
  return value;
}

/// Copies the positions of a state to one with more positions.
static void copyPositions(const HostTensor &from, HostTensor &to) {
  if (from.shape == to.shape) {
    to = from;
    return;
  }
  auto axis = std::ranges::mismatch(from.shape, to.shape).in1;
  int64_t outer = std::accumulate(from.shape.begin(), axis, int64_t(1), std::multiplies<>());
  size_t fromBytes = from.bytes.size() / size_t(outer), toBytes = to.bytes.size() / size_t(outer);
  for (size_t row = 0; row < size_t(outer); ++row)
    std::copy_n(from.bytes.data() + row * fromBytes, fromBytes, to.bytes.data() + row * toBytes);
}

/// Creates the states, or replaces them by larger ones, if they have no room for the positions of a call. `values` are
/// the other inputs of the call.
Error ResumedLoop::makeRoom(const Call &call, std::vector<HostTensor> &values) {
  int64_t positions = call.length + std::max(int64_t(call.tokens.size()), call.steps);
  if (!states.empty() && positions <= capacity)
    return Error::success();
  constexpr int64_t mostExpected = 1024; // a long text takes more room when it needs it
  int64_t expected = int64_t(readText().size()) + std::min(expectedTokens, mostExpected);
  int64_t wanted = std::max({positions, 2 * capacity, expected});
  capacity = contextSize < 0 ? wanted : std::min(wanted, contextSize);
  // The other dimensions have the sizes of the other inputs.
  const attn_entry_info &entry = model.entries[call.entry];
  std::vector<int64_t> dimensions(size_t(entry.dimension_count), capacity);
  for (auto [info, value] : zip_equal(inputsOf(entry, /*areStates=*/false), values))
    for (int32_t axis = 0; axis < info.rank; ++axis)
      if (int64_t dimension = attn_size_dimension(&info.shape[axis]); dimension >= 0)
        dimensions[size_t(dimension)] = value.shape[size_t(axis)];
  std::vector<HostTensor> larger;
  for (const attn_tensor_info &info : inputsOf(entry, /*areStates=*/true)) {
    auto made = HostTensor::create(info.name, static_cast<attn_dtype>(info.dtype), shapeOf(info, dimensions));
    if (!made)
      return made.takeError();
    larger.push_back(std::move(*made));
  }
  for (size_t state = 0; state < states.size(); ++state)
    copyPositions(states[state], larger[state]);
  states = std::move(larger);
  return Error::success();
}

Expected<std::vector<HostTensor>> ResumedLoop::run(const Call &call) {
  const attn_entry_info &entry = model.entries[call.entry];
  std::vector<HostTensor> values;
  for (const attn_tensor_info &info : inputsOf(entry, /*areStates=*/false)) {
    if (auto begun = begunValues.find(info.name); begun != begunValues.end()) {
      values.push_back(std::move(begun->second)); // lent to the call: it may be large
      continue;
    }
    auto value = inputOf(info, call);
    if (!value)
      return value.takeError();
    values.push_back(std::move(*value));
  }
  auto takeBack = [&] {
    for (auto [info, value] : zip_first(inputsOf(entry, /*areStates=*/false), values))
      if (auto begun = begunValues.find(info.name); begun != begunValues.end())
        begun->second = std::move(value);
  };
  if (entry.state_count == 0) {
    auto results = runner.run(call.entry, values);
    takeBack();
    return results;
  }
  if (Error error = makeRoom(call, values))
    return std::move(error);
  size_t others = values.size();
  std::ranges::move(states, std::back_inserter(values));
  auto results = runner.run(call.entry, values);
  states.assign(std::make_move_iterator(values.begin() + ptrdiff_t(others)), std::make_move_iterator(values.end()));
  takeBack();
  return results;
}

/// Makes the states those of `tokens`. If the states begin with other tokens, the positions from there on are computed
/// again.
Error ResumedLoop::prefill(ArrayRef<int32_t> tokens) {
  auto same = size_t(std::ranges::mismatch(read, tokens).in1 - read.begin());
  int64_t mostTruncated = model.entries[prefillEntry].take_back;
  if (mostTruncated > 0 && int64_t(read.size() - same) > mostTruncated)
    same = 0;
  read.resize(same);
  tokens = tokens.drop_front(same);
  if (tokens.empty())
    return Error::success();
  auto results = run({prefillEntry, tokens, int64_t(same), 0});
  if (!results)
    return results.takeError();
  append_range(read, tokens);
  if (isFirstCall())
    times.promptTokens += int64_t(tokens.size());
  return Error::success();
}

Error ResumedLoop::readPrompt() {
  auto before = std::chrono::steady_clock::now();
  if (Error error = callBegin())
    return error;
  if (Error error = prefill(readText().drop_back()))
    return error;
  (isFirstCall() ? times.promptSeconds : times.seconds) += secondsSince(before);
  if (isFirstCall())
    times.promptTokens += 1; // read by the first decoding step
  return Error::success();
}

Error ResumedLoop::call(int64_t most, std::vector<int32_t> &written) {
  if (Error error = readPrompt())
    return error;
  return writeSteps(most, written);
}

Error ResumedLoop::writeSteps(int64_t most, std::vector<int32_t> &written) {
  auto before = std::chrono::steady_clock::now();
  ArrayRef<int32_t> last = readText().take_back();
  auto results = run({stepsEntry, last, int64_t(read.size()), most});
  if (!results)
    return results.takeError();
  const int32_t *found = (*results)[0].integers();
  written.assign(found, found + (*results)[1].integers()[0]);
  isEnded = int64_t(written.size()) < most;
  read.push_back(last.front());
  append_range(read, written);
  if (!isEnded)
    read.pop_back(); // the next call reads it
  times.seconds += secondsSince(before);
  return Error::success();
}

} // namespace attnc
