// Tests that processor features are detected once and have names.
#include "attn/processor.h"
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <thread>
#include <vector>

extern "C" {
extern int counted_cpuids;
uint64_t counted_processor_features(void);
}

TEST(Processor, IsAskedOnce) {
  EXPECT_EQ(counted_processor_features(), attn_processor_features());
  int count = counted_cpuids;
  EXPECT_GT(count, 0);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(counted_processor_features(), attn_processor_features());
  EXPECT_EQ(counted_cpuids, count);
}

TEST(Processor, AnswersThreadsAlike) {
  std::vector<uint64_t> found(8);
  std::vector<std::thread> threads;
  for (uint64_t &each : found)
    threads.emplace_back([&each] { each = attn_processor_features(); });
  for (std::thread &thread : threads)
    thread.join();
  for (uint64_t each : found)
    EXPECT_EQ(each, attn_processor_features());
}

TEST(Processor, NamesEachFeatureOnce) {
  std::set<std::string> names;
  int count = 0;
#define COUNT(NUMBER, NAME, ...)                                                                                       \
  ++count;                                                                                                             \
  names.insert(NAME);                                                                                                  \
  EXPECT_LT(NUMBER, 63);                                                                                               \
  EXPECT_STREQ(attn_processor_feature_name(NUMBER), NAME);
  ATTN_PROCESSOR_FEATURES(COUNT)
#undef COUNT
  EXPECT_EQ(names.size(), size_t(count));
  for (int number : {-1, 63, 64, 1000})
    EXPECT_EQ(attn_processor_feature_name(number), nullptr);
}
