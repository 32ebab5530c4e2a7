// Commands of attnc on models for a device, on a driver that is a fake.
#include "attn/model.h"
#include "compiler/Pipeline/Compile.h"
#include "tests/support/DeviceExecutor.h"
#include "tests/support/FakeCuda.h"
#include "tools/attnc/Commands.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <gtest/gtest.h>

namespace attnc::e2e {
namespace {

/// What a command ended with, and what it printed.
struct Printed {
  ExitCode exitCode = ExitCode::Success;
  std::string out, messages;
};

Printed attnc(const std::vector<std::string> &arguments) {
  Printed printed;
  CLI::App app;
  addRun(app, printed.exitCode);
  addGenerate(app, printed.exitCode);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  app.parse(reversed);
  printed.out = testing::internal::GetCapturedStdout();
  printed.messages = testing::internal::GetCapturedStderr();
  return printed;
}

class CudaTool : public testing::Test {
protected:
  void SetUp() override {
    fake = findFakeCuda();
    if (!fake)
      GTEST_SKIP() << "libcuda.so.1 is not the fake: run by ctest";
    *fake = FakeCuda();
    unsetenv("ATTN_DEVICE");
  }

  /// The driver runs kernels as a compile with these options makes them.
  void runKernelsOf(CompileOptions options) {
    options.dump = Phase::Optimise;
    options.target = "cuda";
    options.reproducerDirectory = "";
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    ASSERT_EQ(compile(options, made, stream), Outcome::Done) << messages;
    device.emplace(made.dump);
    ASSERT_TRUE(*device) << device->message();
    fake->run = [this](const std::string &kernel, int64_t blocks, int64_t threads, int64_t blockBytes,
                       std::vector<uint64_t> parameters) {
      return device->run({kernel, blocks, threads, std::move(parameters), blockBytes}, Order::Shuffled) == "" ? 0 : 719;
    };
  }

  FakeCuda *fake = nullptr;
  Compilation made;
  std::optional<DeviceExecutor> device;
};

const std::string models = ATTNC_ROOT "/tests/e2e/models/";

TEST_F(CudaTool, RunsAndChecks) {
  CompileOptions options;
  options.input = models + "device.attn";
  options.entry = "residual";
  runKernelsOf(options);
  Printed printed = attnc(
      {"run", options.input, "--target", "cuda", "--entry", "residual", "--dim", "rows=5", "--random", "--check"});
  EXPECT_EQ(printed.exitCode, ExitCode::Success) << printed.messages;
  EXPECT_NE(printed.out.find(": ok"), std::string::npos) << printed.out;
  EXPECT_GT(fake->calls["cuLaunchKernel"], 0);
  for (const auto &[kind, count] : fake->alive)
    EXPECT_EQ(count, 0) << kind;
}

TEST_F(CudaTool, SaysWhatTheDeviceLacks) {
  fake->capability = 75;
  Printed printed =
      attnc({"run", models + "device.attn", "--target", "cuda", "--entry", "total", "--dim", "n=5", "--random"});
  EXPECT_EQ(printed.exitCode, ExitCode::UsersFault);
  EXPECT_NE(printed.messages.find("device: compiled for sm_80, but Fake 0 has the architecture sm_75"),
            std::string::npos)
      << printed.messages;
}

TEST(CudaToolDriver, IsMissing) {
  const char *expected = getenv("ATTNC_TEST_DRIVER_SAYS");
  if (!expected)
    GTEST_SKIP() << "run by ctest";
  Printed printed =
      attnc({"run", models + "device.attn", "--target", "cuda", "--entry", "total", "--dim", "n=5", "--random"});
  EXPECT_EQ(printed.exitCode, ExitCode::UsersFault);
  EXPECT_NE(printed.messages.find(expected), std::string::npos) << printed.messages;
}

} // namespace
} // namespace attnc::e2e
