#include "compiler/Predict/Machine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

llvm::Expected<Machine> readBack(const std::string &text) {
  llvm::SmallString<128> path;
  int descriptor = -1;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("machine", "json", descriptor, path))
    return llvm::createStringError(code.message());
  llvm::FileRemover removed(path);
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << text;
  return readMachine(path.str().str());
}

TEST(Machine, IsReadAsItIsWritten) {
  for (int64_t lanes : {8, 16}) {
    Machine machine = defaultMachine(lanes);
    machine.cores = 3;
    machine.latency = 0.1; // not a dyadic fraction
    llvm::Expected<Machine> read = readBack(machineText(machine));
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    EXPECT_EQ(machineText(*read), machineText(machine));
    EXPECT_TRUE(llvm::StringRef(read->origin).ends_with(".json")) << read->origin;
  }
}

/// A machine file with impossible numbers is rejected.
TEST(Machine, HasNumbersOfProcessors) {
  auto expectRefused = [](const std::string &key, auto change) {
    Machine machine = defaultMachine(16);
    change(machine);
    llvm::Expected<Machine> read = readBack(machineText(machine));
    ASSERT_FALSE(bool(read)) << key;
    std::string error = llvm::toString(read.takeError());
    EXPECT_NE(error.find(": '" + key + "': expected "), std::string::npos) << error;
  };
  for (int64_t lanes : {int64_t(0), int64_t(12), int64_t(128), int64_t(1) << 59})
    expectRefused("lanes", [&](Machine &machine) { machine.lanes = lanes; });
  expectRefused("cores", [](Machine &machine) { machine.cores = 0; });
  for (double number : {0.0, -1.0, 1e308})
    expectRefused("fma", [&](Machine &machine) { machine.fma = number; });
  expectRefused("levels[].bytes", [](Machine &machine) { machine.levels[1].bytes = -5; });
  expectRefused("levels[].read", [](Machine &machine) { machine.levels[0].read = 1e300; });
  expectRefused("levels", [](Machine &machine) { machine.levels.clear(); });
  expectRefused("levels", [](Machine &machine) { machine.levels.resize(1); });
  expectRefused("drowsy", [](Machine &machine) { machine.drowsy = 0.5; });
}

TEST(Machine, FindsTheLevelThatHoldsBytes) {
  Machine machine = defaultMachine(16);
  EXPECT_EQ(machine.levelOf(0).name, "L1");
  EXPECT_EQ(machine.levelOf(machine.levels[0].bytes).name, "L1");
  EXPECT_EQ(machine.levelOf(machine.levels[0].bytes + 1).name, "L2");
  EXPECT_EQ(machine.levelOf(INT64_MAX).name, "memory");
}

TEST(Machine, InterpolatesBetweenLevels) {
  Machine machine = defaultMachine(16);
  machine.levels = {{"L1", 2000, 1, 1, 1, 1.0}, {"L2", 32000, 1, 1, 1, 3.0}, {"memory", INT64_MAX, 1, 1, 1, 7.0}};
  auto latency = [&](int64_t bytes) { return machine.secondsAt(bytes, &MemoryLevel::latency); };
  EXPECT_EQ(latency(0), 1);
  EXPECT_EQ(latency(1000), 1);           // half of the level
  EXPECT_NEAR(latency(4000), 2, 1e-9);   // half way to the next level, logarithmically
  EXPECT_NEAR(latency(16000), 3, 1e-9);  // half of that level
  EXPECT_NEAR(latency(128000), 7, 1e-9); // four times that level
  EXPECT_EQ(latency(INT64_MAX), 7);
}

TEST(Machine, ForgetsWhatNobodyTouches) {
  Machine machine = defaultMachine(16);
  machine.keeps = 1;
  EXPECT_EQ(machine.forgotten(0), 0);
  EXPECT_EQ(machine.forgotten(0.5), 0);
  EXPECT_EQ(machine.forgotten(1), 0.5);
  EXPECT_EQ(machine.forgotten(2), 1);
}

} // namespace
} // namespace attnc
