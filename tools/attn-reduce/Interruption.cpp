#include "tools/attn-reduce/Interruption.h"

#include <cstdlib>
#include <initializer_list>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace attnc::reduce {

Interruption::Interruption() {
  sigemptyset(&signals);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&signals, signal);
  }
  descriptor = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor >= 0)
    sigprocmask(SIG_BLOCK, &signals, nullptr);
}

Interruption::~Interruption() {
  if (descriptor < 0)
    return;
  sigprocmask(SIG_UNBLOCK, &signals, nullptr);
  close(descriptor);
}

bool Interruption::hasCome() const {
  pollfd watched = {descriptor, POLLIN, 0};
  return poll(&watched, 1, 0) > 0;
}

void Interruption::end() const {
  signalfd_siginfo come = {};
  if (read(descriptor, &come, sizeof come) == sizeof come) {
    int signal = int(come.ssi_signo);
    std::signal(signal, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &signals, nullptr);
    raise(signal);
  }
  _exit(EXIT_FAILURE);
}

void Interruption::forget() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

} // namespace attnc::reduce
