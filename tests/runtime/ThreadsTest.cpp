#include "attn/threads.h"
#include <atomic>
#include <cerrno>
#include <chrono>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <thread>
#include <vector>

/// The number of further threads that the system starts; unlimited if negative.
static int threadsLeft = -1;

extern "C" {
/// pthread_create of a sanitizer, or null.
__attribute__((weak)) decltype(pthread_create) __interceptor_pthread_create;

/// Replaces the function of the C library.
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) noexcept {
  static const auto library = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threadsLeft == 0)
    return EAGAIN;
  threadsLeft -= threadsLeft > 0;
  return (__interceptor_pthread_create ? __interceptor_pthread_create : library)(thread, attributes, start, argument);
}
}

namespace {

struct Record {
  std::vector<std::atomic<int>> seen;
  std::vector<char *> scratch;
  explicit Record(size_t chunks) : seen(chunks), scratch(chunks) {}
};

void record(const attn_kernel_args *args, int64_t chunk, void *scratch) {
  auto *record = static_cast<Record *>(args->buffers[0]);
  ++record->seen[chunk];
  record->scratch[chunk] = static_cast<char *>(scratch);
}

void expectEachChunkOnce(const attn_executor *executor, int64_t chunks) {
  Record r(chunks);
  void *buffers[] = {&r};
  attn_kernel_args args = {buffers, nullptr, nullptr, nullptr};
  std::vector<char> scratch(64 * executor->workers);
  executor->parallel_for(executor->self, record, &args, chunks, scratch.data(), 64);
  for (int64_t c = 0; c < chunks; ++c) {
    EXPECT_EQ(r.seen[c], 1) << "chunk " << c << " of " << chunks;
    auto offset = r.scratch[c] - scratch.data();
    EXPECT_TRUE(offset >= 0 && offset < int64_t(scratch.size()) && offset % 64 == 0) << offset;
  }
}

} // namespace

TEST(Threads, RunEachChunkOnceAtAnyCount) {
  for (int64_t workers : {1, 2, 3, 8}) {
    attn_pool *pool;
    ASSERT_EQ(attn_pool_create(workers, &pool, nullptr), ATTN_OK);
    const attn_executor *executor = attn_pool_executor(pool);
    EXPECT_EQ(executor->workers, workers);
    for (int64_t chunks : {0, 1, 2, 7, 1000})
      for (int repeat = 0; repeat < 20; ++repeat)
        expectEachChunkOnce(executor, chunks);
    attn_pool_destroy(pool);
  }
}

TEST(Threads, WorkersThatSleepAreCalled) {
  for (int64_t workers : {2, 8}) {
    attn_pool *pool;
    ASSERT_EQ(attn_pool_create(workers, &pool, nullptr), ATTN_OK);
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      expectEachChunkOnce(attn_pool_executor(pool), 9);
    }
    attn_pool_destroy(pool);
  }
}

TEST(Threads, ACallerThatSleepsIsCalled) {
  attn_pool *pool;
  ASSERT_EQ(attn_pool_create(2, &pool, nullptr), ATTN_OK);
  const attn_executor *executor = attn_pool_executor(pool);
  attn_kernel_args args = {};
  auto sleepLong = [](const attn_kernel_args *, int64_t chunk, void *) {
    std::this_thread::sleep_for(std::chrono::milliseconds(chunk == 0 ? 1 : 8));
  };
  for (int repeat = 0; repeat < 10; ++repeat) {
    auto start = std::chrono::steady_clock::now();
    executor->parallel_for(executor->self, sleepLong, &args, 2, nullptr, 0);
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(8));
  }
  attn_pool_destroy(pool);
}

TEST(Threads, SerialExecutorNeedsNoPool) { expectEachChunkOnce(attn_serial_executor(), 9); }

TEST(Threads, OnePoolServesTwoCallers) {
  attn_pool *pool;
  ASSERT_EQ(attn_pool_create(2, &pool, nullptr), ATTN_OK);
  auto caller = [&] {
    for (int i = 0; i < 300; ++i)
      expectEachChunkOnce(attn_pool_executor(pool), 17);
  };
  std::thread other(caller);
  caller();
  other.join();
  attn_pool_destroy(pool);
}

TEST(Threads, ImpossibleCountsAreRefused) {
  attn_pool *pool;
  attn_status status;
  EXPECT_EQ(attn_pool_create(-1, &pool, &status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "a pool of -1 workers, expected 0 to 4096");
  EXPECT_EQ(pool, nullptr);
}

TEST(Threads, APoolThatTheSystemCannotStartIsAnError) {
  for (int started : {0, 1, 2}) {
    attn_pool *pool;
    attn_status status;
    threadsLeft = started;
    EXPECT_EQ(attn_pool_create(4, &pool, &status), ATTN_NO_MEMORY);
    threadsLeft = -1;
    EXPECT_EQ(status.message,
              "the system can't start more threads: 4 requested, " + std::to_string(started + 1) + " started");
    EXPECT_EQ(pool, nullptr);
  }
}
