#include "tools/attnc/Generate/SpeculativeLoop.h"
#include <algorithm>
#include <chrono>

using namespace llvm;

namespace attnc {

SpeculativeLoop::SpeculativeLoop(const GenerateOptions &options, const Vocabularies &vocabularies,
                                 const attn_model &model, StringRef writer, std::unique_ptr<Draft> draft)
    : ResumedLoop(options, vocabularies, model, writer),
      verifyEntry(attn_find_entry(&model, (writer + ResumedNames::verify).str().c_str())), draft(std::move(draft)) {}

/// Reads the last token of the text and the drafted ones, `tokens`, and sets `written` to the accepted ones and the
/// first chosen one.
Error SpeculativeLoop::verify(std::vector<int32_t> tokens, std::vector<int32_t> &written) {
  auto results = run({verifyEntry, tokens, int64_t(read.size()), 0});
  if (!results)
    return results.takeError();
  append_range(read, tokens); // prefill() removes rejected ones
  ArrayRef<int32_t> chosen((*results)[0].integers(), tokens.size()), drafted = ArrayRef(tokens).drop_front();
  auto accepted = std::ranges::mismatch(drafted, chosen).in1 - drafted.begin();
  written.assign(chosen.begin(), chosen.begin() + accepted + 1);
  if (written.back() < 0) { // it ends the row
    written.pop_back();
    isEnded = true;
  }
  times.drafted += int64_t(drafted.size());
  times.accepted += accepted;
  return Error::success();
}

Error SpeculativeLoop::call(int64_t most, std::vector<int32_t> &written) {
  if (Error error = readPrompt())
    return error;
  auto before = std::chrono::steady_clock::now();
  int64_t room = contextSize < 0 ? most : contextSize - int64_t(readText().size());
  int64_t count = std::min({options.drafts, most - 1, room});
  if (count <= 0)
    return writeSteps(1, written);
  auto drafted = draft->propose(*this, count);
  if (!drafted)
    return drafted.takeError();
  if (drafted->empty())
    return writeSteps(1, written);
  drafted->insert(drafted->begin(), readText().back());
  if (Error error = verify(std::move(*drafted), written))
    return error;
  ++times.verifications;
  times.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  return Error::success();
}

} // namespace attnc
