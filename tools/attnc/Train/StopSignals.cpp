#include "tools/attnc/Train/StopSignals.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace attnc {

static std::atomic<int> noted = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a handler writes to it");

static void note(int signal) {
  if (noted.exchange(signal) == 0)
    return;
  std::signal(signal, SIG_DFL);
  std::raise(signal); // delivered when this handler returns
}

IgnoredPipeSignal::IgnoredPipeSignal() {
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
}

IgnoredPipeSignal::~IgnoredPipeSignal() { sigaction(SIGPIPE, &before, nullptr); }

StopSignals::StopSignals() {
  noted = 0;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {}, now;
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler == SIG_IGN)
      continue;
    sigaction(signal, &action, nullptr);
    before.emplace_back(signal, now);
  }
}

StopSignals::~StopSignals() {
  for (const auto &[signal, action] : before)
    sigaction(signal, &action, nullptr);
}

int StopSignals::received() const { return noted; }

void StopSignals::endBy(int signal) {
  std::fflush(stdout);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::_Exit(128 + signal); // if the signal is blocked
}

} // namespace attnc
