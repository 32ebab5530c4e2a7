#include "tools/attnc/Train/Progress.h"
#include "tools/attnc/Messages/Printing.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

namespace attnc {

Progress::Progress(int64_t steps, std::vector<std::string> training, std::vector<std::string> validation, StepWork work)
    : steps(steps), training(std::move(training)), validation(std::move(validation)), work(work),
      isTerminal(isatty(STDERR_FILENO)), start(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (isShown)
    printTo(stderr, "\r\033[K");
}

double Progress::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string Progress::speed() const {
  double perSecond = taken > 0 ? double(taken) / stepping : 0;
  std::string text = fmt::format("{:.0f} {}/s", perSecond * double(work.items), work.unit);
  if (work.peak > 0 && work.flops > 0)
    text += fmt::format("  {:.0f} % of peak", 100 * perSecond * work.flops / work.peak);
  return text;
}

static std::string duration(double seconds) {
  auto whole = static_cast<int64_t>(seconds);
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

/// "loss 0.1234  " with each name and number.
static std::string textOf(llvm::ArrayRef<std::string> names, llvm::ArrayRef<double> numbers) {
  std::string result;
  for (auto [name, number] : llvm::zip_equal(names, numbers))
    result += fmt::format("{} {:.4f}  ", name, number);
  return result;
}

void Progress::step(int64_t done, llvm::ArrayRef<double> numbers, double seconds) {
  ++taken;
  stepping += seconds;
  if (!isTerminal || elapsed() - lastShown < 0.1)
    return;
  lastShown = elapsed();
  isShown = true;
  double left = stepping / double(taken) * double(steps - done);
  int filled = static_cast<int>(30 * done / steps);
  printTo(stderr, "\r\033[K[{}{}] {}/{}  {}{}  {} left", std::string(filled, '='), std::string(30 - filled, ' '), done,
          steps, textOf(training, numbers), speed(), duration(left));
  std::fflush(stderr);
}

void Progress::report(int64_t done, llvm::ArrayRef<double> trained, llvm::ArrayRef<double> validated) {
  if (isShown)
    printTo(stderr, "\r\033[K");
  bool isValidated = llvm::any_of(validated, [](double number) { return !std::isnan(number); });
  printTo(stderr, "step {}/{}  {}{}{}  {} so far\n", done, steps, textOf(training, trained),
          isValidated ? textOf(validation, validated) : "", speed(), duration(elapsed()));
  std::fflush(stderr);
}

} // namespace attnc
