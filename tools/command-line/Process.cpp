#include "tools/command-line/Process.h"
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <initializer_list>
#include <unistd.h>

namespace attnc {

Process::Process() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1 && errno == EBADF)
      open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY); // returns the lowest free number: this one
  for (int signal : {SIGHUP, SIGINT, SIGTERM, SIGUSR2}) {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
      ignored.push_back(signal);
  }
}

void Process::keepSignals() const {
  for (int signal : ignored)
    std::signal(signal, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

} // namespace attnc
