#include "tools/attnc/Train/Progress.h"
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

namespace attnc {

Progress::Progress(int64_t firstStep, int64_t steps, int64_t perStep, bool isSequence)
    : firstStep(firstStep), steps(steps), perStep(perStep), isSequence(isSequence), isTerminal(isatty(STDERR_FILENO)),
      start(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (isShown)
    fmt::print(stderr, "\r\033[K");
}

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double Progress::rate(int64_t done) const { return double((done - firstStep) * perStep) / seconds(); }

static std::string duration(double seconds) {
  auto whole = static_cast<int64_t>(seconds);
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

void Progress::step(int64_t done, double loss) {
  if (!isTerminal || seconds() - lastShown < 0.1)
    return;
  lastShown = seconds();
  isShown = true;
  double left = seconds() / double(done - firstStep) * double(steps - done);
  int filled = static_cast<int>(30 * done / steps);
  fmt::print(stderr, "\r\033[K[{}{}] {}/{}  loss {:.4f}  {:.0f} {}/s  {} left", std::string(filled, '='),
             std::string(30 - filled, ' '), done, steps, loss, rate(done), isSequence ? "tokens" : "samples",
             duration(left));
  std::fflush(stderr);
}

void Progress::report(int64_t done, double loss, std::optional<double> validation) {
  if (isShown)
    fmt::print(stderr, "\r\033[K");
  fmt::print(stderr, "step {}/{}  loss {:.4f}{}  {:.0f} {}/s  {} so far\n", done, steps, loss,
             validation ? fmt::format("  validation {:.4f}", *validation) : "", rate(done),
             isSequence ? "tokens" : "samples", duration(seconds()));
  std::fflush(stderr);
}

} // namespace attnc
