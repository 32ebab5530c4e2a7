#include "compiler/Predict/Machine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

TEST(Machine, IsReadAsItIsWritten) {
  for (int64_t lanes : {8, 16}) {
    Machine machine = defaultMachine(lanes);
    machine.cores = 3;
    machine.latency = 0.1; // a number that no power of two divides
    llvm::SmallString<128> path;
    int descriptor = -1;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("machine", "json", descriptor, path));
    llvm::FileRemover removed(path);
    llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << machineText(machine);
    llvm::Expected<Machine> read = readMachine(path.str().str());
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    EXPECT_EQ(machineText(*read), machineText(machine));
    EXPECT_EQ(read->origin, path.str().str());
  }
}

TEST(Machine, FindsTheLevelThatHoldsBytes) {
  Machine machine = defaultMachine(16);
  EXPECT_EQ(machine.levelOf(0).name, "L1");
  EXPECT_EQ(machine.levelOf(machine.levels[0].bytes).name, "L1");
  EXPECT_EQ(machine.levelOf(machine.levels[0].bytes + 1).name, "L2");
  EXPECT_EQ(machine.levelOf(INT64_MAX).name, "memory");
}

} // namespace
} // namespace attnc
