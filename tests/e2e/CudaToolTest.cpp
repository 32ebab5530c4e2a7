// Tests commands of attnc on models for devices, on a fake driver.
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

/// The exit status and the output of a command.
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

  /// Makes the driver run the kernels compiled with these options for devices of one architecture.
  void runKernelsOf(CompileOptions options, const std::string &architecture = "sm_80") {
    fake->capability = architecture == "sm_90a" ? 90 : 80;
    options.dump = Phase::Optimise;
    options.target = "cuda:" + architecture;
    options.reproducerDirectory = "";
    Compilation made;
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    ASSERT_EQ(compile(options, made, stream), Outcome::Done) << messages;
    kernels = made.dump;
    device.emplace(kernels);
    ASSERT_TRUE(*device) << device->message();
    fake->run = [this](const std::string &kernel, int64_t blocks, int64_t threads, int64_t blockBytes,
                       std::vector<uint64_t> parameters) {
      return device->run({kernel, blocks, threads, std::move(parameters), blockBytes}, Order::Shuffled) == "" ? 0 : 719;
    };
  }

  FakeCuda *fake = nullptr;
  std::optional<DeviceExecutor> device;
  std::string kernels; ///< the kernels that the driver runs, as LLVM IR
};

const std::string models = ATTNC_ROOT "/tests/e2e/models/";

using Named = std::vector<std::pair<std::string, std::string>>;

void append(std::vector<std::string> &arguments, const char *option, const Named &values) {
  for (const auto &[name, value] : values)
    arguments.insert(arguments.end(), {option, name + "=" + value});
}

TEST_F(CudaTool, RunsAndChecks) {
  struct Example {
    const char *file, *entry;
    Named sizes, settings;
    Precision precision = Precision::F32;
    std::string architecture = "sm_80";
  };
  std::map<Precision, int64_t> uploaded;
  const Named rows = {{"batch", "2"}, {"seq", "5"}};
  const Named smallGpt2 = {{"layers", "2"}, {"dim", "32"}, {"heads", "2"}, {"vocab", "67"}, {"context", "24"}};
  for (const Example &each :
       {Example{"/tests/e2e/models/device.attn", "residual", {{"rows", "5"}}, {}},
        Example{"/examples/gpt2/gpt2.attn", "last", rows, smallGpt2},
        Example{"/examples/gpt2/gpt2.attn", "last", rows, smallGpt2, Precision::BF16},
        Example{"/examples/gpt2/gpt2.attn", "last", rows, smallGpt2, Precision::TF32},
        Example{"/examples/gpt2/gpt2.attn", "last", rows, smallGpt2, Precision::BF16, "sm_90a"},
        Example{"/examples/gpt2/gpt2.attn", "last", rows, smallGpt2, Precision::TF32, "sm_90a"}}) {
    CompileOptions options;
    options.input = std::string(ATTNC_ROOT) + each.file;
    options.entries = {each.entry};
    options.settings = each.settings;
    options.precision = each.precision;
    runKernelsOf(options, each.architecture);
    EXPECT_EQ(kernels.find("wgmma.mma_async") != std::string::npos, each.architecture == "sm_90a") << each.architecture;
    fake->calls.clear();
    fake->bytes.clear();
    std::vector<std::string> arguments = {
        "run",      options.input, "--target", "cuda",        "--entry",
        each.entry, "--random",    "--check",  "--precision", nameOf(each.precision).str()};
    append(arguments, "--dim", each.sizes);
    append(arguments, "--set", each.settings);
    Printed printed = attnc(arguments);
    EXPECT_EQ(printed.exitCode, ExitCode::Success) << printed.messages;
    EXPECT_NE(printed.out.find(": ok"), std::string::npos) << printed.out;
    EXPECT_GT(fake->calls["cuLaunchKernel"], 0);
    uploaded[each.precision] = fake->bytes["cuMemcpyHtoDAsync_v2"];
    for (const auto &[kind, count] : fake->alive)
      EXPECT_EQ(count, 0) << kind;
  }
  // Matrices have half the bytes, and only vectors of the weights file are uploaded.
  EXPECT_LT(uploaded[Precision::BF16], 0.6 * double(uploaded[Precision::TF32]));
}

/// Draws parameters from a seed. At temperature 0, rounding changes a token only if two logits are nearly equal.
TEST_F(CudaTool, GeneratesWhatAProcessorDoes) {
  CompileOptions options;
  options.input = ATTNC_ROOT "/examples/chargpt/chargpt.attn";
  options.settings = {{"layers", "1"}, {"dim", "32"}, {"heads", "2"}};
  options.writer = WriterRequest{"", "decoding", "draw", 4};
  runKernelsOf(options);
  std::vector<std::string> arguments = {"generate", options.input, "--prompt",      "In the",
                                        "--count",  "4",           "--temperature", "0"};
  append(arguments, "--set", options.settings);
  Printed onProcessor = attnc(arguments);
  arguments.insert(arguments.end(), {"--target", "cuda"});
  Printed onDevice = attnc(arguments);
  EXPECT_EQ(onDevice.exitCode, ExitCode::Success) << onDevice.messages;
  EXPECT_EQ(onDevice.out, onProcessor.out);
  // The device returns tokens, their number and one word after each; it returns no cache.
  EXPECT_LT(fake->bytes["cuMemcpyDtoHAsync_v2"], 1024);
  EXPECT_EQ(onDevice.out.size(), std::string("In the").size() + 4 + 1) << "four tokens, and the end of the line";
  EXPECT_GT(fake->calls["cuLaunchKernel"], 0);
}

TEST_F(CudaTool, SaysWhatTheDeviceLacks) {
  fake->capability = 75;
  Printed printed =
      attnc({"run", models + "device.attn", "--target", "cuda", "--entry", "total", "--dim", "n=5", "--random"});
  EXPECT_EQ(printed.exitCode, ExitCode::UserError);
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
  EXPECT_EQ(printed.exitCode, ExitCode::UserError);
  EXPECT_NE(printed.messages.find(expected), std::string::npos) << printed.messages;
}

} // namespace
} // namespace attnc::e2e
