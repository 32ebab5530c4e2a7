#include "compiler/Diagnostics/LargeStack.h"
#include "compiler/Diagnostics/CrashNote.h"
#include <cstdlib>
#include <gtest/gtest.h>

namespace attnc {
namespace {

/// Recurs until the stack overflows.
[[gnu::noinline]] int64_t overflow(int64_t depth) {
  volatile char frame[4096];
  frame[0] = char(depth);
  return depth < 0 ? 0 : overflow(depth + 1) + frame[0];
}

TEST(LargeStack, HasRoomAndItsEndIsACrash) {
  char *here = static_cast<char *>(__builtin_frame_address(0));
  bool isElsewhere = false;
  EXPECT_EQ(runOnLargeStack([&] {
              auto *there = static_cast<char *>(__builtin_frame_address(0));
              isElsewhere = std::abs(here - there) > (1 << 20);
              volatile char large[32 << 20];
              large[0] = 1;
            }),
            "");
  EXPECT_TRUE(isElsewhere);
#if __has_feature(thread_sanitizer)
  // TSan overflows the stack too, with its lock held, on which the handler would then wait.
  GTEST_SKIP() << "the end of a stack is not tried under TSan";
#endif
  auto overflowThere = [] {
    installCrashHandler();
    CrashNote note("too deep\n");
    (void)runOnLargeStack([] { overflow(0); });
  };
  EXPECT_EXIT(overflowThere(), testing::ExitedWithCode(2), "^too deep\n$");
}

/// A thread runs one work after another, each to its end.
TEST(LargeStack, AThreadIsUsedAgain) {
  int sum = 0;
  {
    LargeStackThread thread;
    EXPECT_EQ(thread.start([&] { sum += 1; }), "");
    EXPECT_EQ(thread.start([&] { sum *= 10; }), "");
  }
  EXPECT_EQ(sum, 10);
}

} // namespace
} // namespace attnc
