// Tests signals that end a training run in order, in child processes.

#include "tools/attnc/Train/StopSignals.h"
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace attnc;

namespace {

/// Returns the status from waitpid of a child that runs `body` and exits with its result.
template <typename Body> int statusOf(Body body) {
  pid_t child = fork();
  if (child == 0) {
    for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
      std::signal(signal, SIG_DFL);
    _exit(body());
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST(StopSignals, AreNotedOnce) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    int status = statusOf([&] {
      StopSignals stops;
      int before = stops.received();
      raise(signal);
      return before == 0 && stops.received() == signal ? 7 : 1;
    });
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << signal;
  }
}

TEST(StopSignals, TheSecondEndsTheProcess) {
  for (int second : {SIGINT, SIGTERM, SIGHUP}) {
    int status = statusOf([&] {
      StopSignals stops;
      raise(SIGINT);
      raise(second);
      return 7;
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == second) << second;
  }
}

TEST(StopSignals, AreAsBeforeAfterwards) {
  int status = statusOf([] {
    { StopSignals stops; }
    raise(SIGTERM);
    return 7;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

TEST(StopSignals, ThatAreIgnoredStaySo) {
  int status = statusOf([] {
    std::signal(SIGHUP, SIG_IGN);
    StopSignals stops;
    raise(SIGHUP);
    return stops.received() == 0 ? 7 : 1;
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

TEST(IgnoredPipeSignal, EndsTheProcessBeforeAndAfterwardsAlone) {
  int ignored = statusOf([] {
    IgnoredPipeSignal ignores;
    StopSignals stops;
    raise(SIGPIPE);
    return stops.received() == 0 ? 7 : 1;
  });
  EXPECT_TRUE(WIFEXITED(ignored) && WEXITSTATUS(ignored) == 7);
  int restored = statusOf([] {
    { IgnoredPipeSignal ignores; }
    raise(SIGPIPE);
    return 7;
  });
  EXPECT_TRUE(WIFSIGNALED(restored) && WTERMSIG(restored) == SIGPIPE);
}

TEST(StopSignals, EndTheProcessInTheEnd) {
  int status = statusOf([] {
    StopSignals stops;
    raise(SIGHUP);
    StopSignals::endBy(stops.received());
    return 7;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP);
}

} // namespace
