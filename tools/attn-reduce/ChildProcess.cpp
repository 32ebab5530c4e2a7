#include "tools/attn-reduce/ChildProcess.h"
#include "tools/attn-reduce/Interruption.h"

#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace attnc::reduce {

using Clock = std::chrono::steady_clock;

/// Runs in the child between fork and exec, where only system calls are safe.
[[noreturn]] static void become(char *const *words, int output, int64_t bytes) {
  setpgid(0, 0);
  Interruption::forget();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  rlimit noCore = {0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  if (bytes > 0) {
    rlimit memory = {rlim_t(bytes), rlim_t(bytes)};
    setrlimit(RLIMIT_AS, &memory);
  }
  int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvp(words[0], words);
  _exit(127);
}

llvm::Expected<ChildProcess> ChildProcess::start(const std::vector<std::string> &command, const std::string &outputPath,
                                                 const Limits &limits) {
  auto failed = [&](const char *what) {
    return llvm::createStringError(std::string("can't ") + what + ": " + std::strerror(errno));
  };
  int output = open(outputPath.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (output < 0)
    return failed("write what a command prints");
  std::vector<char *> words;
  for (const std::string &word : command)
    words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  ChildProcess child;
  child.process = fork();
  if (child.process == 0)
    become(words.data(), output, limits.bytes);
  close(output);
  if (child.process < 0)
    return failed("start a process");
  setpgid(child.process, child.process);                             // parent and child both call it, in any order
  child.descriptor = int(syscall(SYS_pidfd_open, child.process, 0)); // close-on-exec
  if (child.descriptor < 0)
    return failed("watch a process");
  child.outputPath = outputPath;
  constexpr double mostSeconds = 1e9; // a number of milliseconds, and a deadline, that fit
  child.deadline = Clock::now() + std::chrono::milliseconds(int64_t(std::min(limits.seconds, mostSeconds) * 1000));
  return child;
}

ChildProcess::ChildProcess(ChildProcess &&other)
    : process(std::exchange(other.process, -1)), descriptor(std::exchange(other.descriptor, -1)),
      outputPath(std::move(other.outputPath)), deadline(other.deadline) {}

ChildProcess &ChildProcess::operator=(ChildProcess &&other) {
  std::swap(process, other.process);
  std::swap(descriptor, other.descriptor);
  std::swap(outputPath, other.outputPath);
  std::swap(deadline, other.deadline);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (process > 0)
    end();
}

std::chrono::milliseconds ChildProcess::left() const {
  return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()),
                  std::chrono::milliseconds(0));
}

Ending ChildProcess::end() {
  pollfd watched = {descriptor, POLLIN, 0};
  Ending ending;
  ending.ranOut = poll(&watched, 1, 0) == 0;
  kill(-process, SIGKILL); // the process and its descendants
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR)
    ;
  if (descriptor >= 0)
    close(descriptor);
  process = descriptor = -1;
  if (WIFSIGNALED(status) && !ending.ranOut)
    ending.signal = WTERMSIG(status);
  if (WIFEXITED(status))
    ending.exitCode = WEXITSTATUS(status);
  if (auto text = llvm::MemoryBuffer::getFile(outputPath))
    ending.output = (*text)->getBuffer().str();
  return ending;
}

} // namespace attnc::reduce
