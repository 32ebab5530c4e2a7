#include "tools/attnc/Generate/WholeLoop.h"
#include "tools/attnc/Call/EntryResults.h"
#include <chrono>

using namespace llvm;

namespace attnc {

bool WholeLoop::isLoop(const attn_entry_info &entry) {
  if (entry.input_count < 2 || entry.result_count != 2)
    return false;
  auto is = [&](int32_t number, StringRef name, int32_t rank) {
    const attn_tensor_info &info = entry.tensors[number];
    return info.name == name && info.dtype == ATTN_I32 && info.rank == rank;
  };
  const attn_tensor_info &tokens = resultsOf(entry).front();
  return is(0, "prompt", 2) && is(1, "prompt_length", 1) && is(entry.input_count, "tokens", 2) &&
         is(entry.input_count + 1, "length", 1) && constantSize(tokens.shape[1]);
}

Error WholeLoop::readInputs() {
  atMost = *constantSize(resultsOf(entry()).front().shape[1]);
  int64_t longest = limitOf(entry(), entry().tensors[0].shape[1]);
  contextSize = longest < 0 ? -1 : longest + atMost - 1;
  return inputs.read(entry().name, {&entry()},
                     [](StringRef input) { return input == "prompt" || input == "prompt_length"; });
}

Error WholeLoop::callLoop() {
  ArrayRef<int32_t> prompt = readText();
  HostTensor tokens(ATTN_I32, {1, int64_t(prompt.size())}), length(ATTN_I32, {1});
  copy(prompt, tokens.integers());
  length.integers()[0] = int32_t(prompt.size());
  std::vector<HostTensor> values = {std::move(tokens), std::move(length)};
  for (const attn_tensor_info &info : ArrayRef(entry().tensors, size_t(entry().input_count)).drop_front(2)) {
    auto value = inputs.valueOf(info, seed());
    if (!value)
      return value.takeError();
    values.push_back(std::move(*value));
  }
  auto before = std::chrono::steady_clock::now();
  auto results = runner.run(number, values);
  if (!results)
    return results.takeError();
  times.promptTokens += isFirstCall() ? int64_t(begun) : 0;
  times.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  const int32_t *found = (*results)[0].integers();
  waiting.assign(found, found + (*results)[1].integers()[0]);
  isLast = int64_t(waiting.size()) < atMost;
  return Error::success();
}

Error WholeLoop::call(int64_t most, std::vector<int32_t> &written) {
  if (drawn == 0)
    if (Error error = callLoop())
      return error;
  auto end = waiting.begin() + std::min(ptrdiff_t(most), ptrdiff_t(waiting.size()));
  written.assign(waiting.begin(), end);
  waiting.erase(waiting.begin(), end);
  isEnded = isLast && waiting.empty();
  return Error::success();
}

} // namespace attnc
