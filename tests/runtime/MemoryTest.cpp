#include "attn/memory.h"
#include "attn/abi.h"
#include <cstdint>
#include <gtest/gtest.h>

TEST(Memory, IsAlignedZeroedAndWritableToItsEnd) {
  for (size_t bytes : {size_t(0), size_t(1), size_t(4097), size_t(3) << 20, (size_t(5) << 20) + 12345}) {
    auto *block = static_cast<unsigned char *>(attn_memory_allocate(bytes));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % ATTN_ALIGNMENT, 0u);
    for (size_t i = 0; i < bytes; i += 511)
      ASSERT_EQ(block[i], 0) << i;
    if (bytes)
      block[bytes - 1] = 1;
    attn_memory_free(block, bytes);
  }
}

TEST(Memory, HasNoRoomForTheImpossible) {
  EXPECT_EQ(attn_memory_allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(attn_memory_allocate(SIZE_MAX / 2), nullptr);
}
