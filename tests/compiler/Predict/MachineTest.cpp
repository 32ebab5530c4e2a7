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
    machine.latency = 0.1; // a number that no power of two divides
    llvm::Expected<Machine> read = readBack(machineText(machine));
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    EXPECT_EQ(machineText(*read), machineText(machine));
    EXPECT_TRUE(llvm::StringRef(read->origin).ends_with(".json")) << read->origin;
  }
}

/// Nothing is predicted from numbers that no processor has.
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
