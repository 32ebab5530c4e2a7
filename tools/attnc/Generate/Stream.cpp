#include "tools/attnc/Generate/Stream.h"
#include "tools/attnc/Messages/Printing.h"
#include <algorithm>

using namespace llvm;

namespace attnc {

static constexpr double secondsOfCall = 0.1;

Expected<std::vector<int32_t>> printTokens(Writer &writer, Printer &printer, int64_t count) {
  std::vector<int32_t> all;
  for (int64_t block = 1; !writer.hasEnded() && int64_t(all.size()) < count;) {
    double before = writer.times.seconds;
    auto next = writer.write(std::min(std::max(block, writer.tokensOfCall()), count - int64_t(all.size())));
    if (!next)
      return next.takeError();
    printer.print(*next);
    append_range(all, *next);
    double seconds = std::max(writer.times.seconds - before, 1e-6);
    block = std::clamp(int64_t(secondsOfCall / seconds * double(next->size())), int64_t(1), 2 * block);
  }
  printer.finish();
  return all;
}

/// "128 tokens, 45 a second"; without a rate if no time was measured.
static std::string rateText(int64_t count, const char *noun, double seconds) {
  std::string text = fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
  if (count == 0 || seconds <= 0)
    return text;
  double rate = double(count) / seconds;
  return text + fmt::format(", {:.{}f} a second", rate, rate < 10 ? 1 : 0);
}

void printRates(const WriterTimes &times) {
  std::string drafts;
  if (times.verifications > 0) {
    auto mean = [&](int64_t count) { return double(count) / double(times.verifications); };
    drafts = fmt::format("; {:.1f} of {:.1f} drafts accepted a call", mean(times.accepted), mean(times.drafted));
  }
  printTo(stderr, "({}; {}{})\n", rateText(times.promptTokens, "prompt token", times.promptSeconds),
          rateText(times.tokens, "token", times.seconds), drafts);
}

} // namespace attnc
