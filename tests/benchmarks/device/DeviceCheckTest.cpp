// Runs scripts/gpu-check on a fake driver: packs a few models, runs them in the executor of device code, and writes the
// page.
#include "benchmarks/device/DeviceCheck.h"
#include "benchmarks/device/Pack.h"
#include "benchmarks/device/Results.h"
#include "compiler/Pipeline/Compile.h"
#include "tests/support/DeviceExecutor.h"
#include "tests/support/FakeCuda.h"
#include "tests/support/TemporaryFolder.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace attnc::device {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

std::string textOf(const std::string &path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

class DeviceCheck : public testing::Test {
protected:
  std::string at(const std::string &name) const { return folder + "/" + name; }
  void write(const std::string &name, const std::string &text) const { std::ofstream(at(name)) << text; }

  TemporaryFolder temporary{testing::TempDir() + "/device-check-" +
                            testing::UnitTest::GetInstance()->current_test_info()->name()};
  const std::string folder = temporary.path();
  const std::string cases = ATTNC_ROOT "/benchmarks/device/cases.json";
};

/// A packed model whose kernels the fake driver runs.
class PackedCalls : public DeviceCheck {
protected:
  void SetUp() override {
    DeviceCheck::SetUp();
    fake = findFakeCuda();
    if (!fake)
      GTEST_SKIP() << "libcuda.so.1 is not the fake: run by ctest";
    *fake = FakeCuda();
  }

  /// Packs `wanted`: checks or measurements of one model at one precision.
  void packAndLoad(const Json &wanted, const Json &model, Precision precision) {
    write("wanted.json", wanted.dump());
    pack(at("wanted.json"), ATTNC_ROOT, at("packed"));
    CompileOptions options;
    options.input = ATTNC_ROOT "/" + model.at("model").get<std::string>();
    options.target = "cuda:sm_80";
    options.precision = precision;
    options.reproducerDirectory = "";
    options.dump = Phase::Optimise;
    const Json settings = model.value("settings", Json::object());
    for (const auto &[name, value] : settings.items())
      options.settings.emplace_back(name, value.dump());
    Compilation made;
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    ASSERT_EQ(compile(options, made, stream), Outcome::Done) << messages;
    executor.emplace(made.dump);
    ASSERT_TRUE(*executor) << executor->message();
    fake->run = [this](const std::string &kernel, int64_t blocks, int64_t threads, int64_t blockBytes,
                       std::vector<uint64_t> parameters) {
      return executor->run({kernel, blocks, threads, std::move(parameters), blockBytes}, Order::Shuffled) == "" ? 0
                                                                                                                : 719;
    };
  }

  static Json table() {
    return {{"copied_bytes", 4096},
            {"compile",
             {{"title", "compile"}, {"model", "benchmarks/device/gemm.attn"}, {"entry", "products"}, {"seconds", 1.5}}},
            {"measures", Json::array()},
            {"checks", Json::array()}};
  }

  void expectNothingLeft() const {
    for (const auto &[kind, count] : fake->alive)
      EXPECT_EQ(count, 0) << kind;
  }

  FakeCuda *fake = nullptr;
  std::optional<DeviceExecutor> executor;
};

TEST_F(PackedCalls, AgreeWithTheOracle) {
  Json wanted = table();
  Json model = {{"model", "benchmarks/device/checks.attn"},
                {"precisions", {"bf16"}},
                {"sizes", {{"batch", 1}}},
                {"settings", {{"heads", 2}, {"group", 2}, {"n", 72}, {"d", 16}, {"e", 24}}}};
  wanted["checks"].push_back(model);
  packAndLoad(wanted, model, Precision::BF16);
  EXPECT_EQ(check(at("packed"), at("results")), 0);
  std::vector<Json> lines = readLines(at("results"));
  EXPECT_EQ(lines.size(), 11) << "nine entry points, of which two have two results";
  std::string kinds;
  for (const Json &line : lines) {
    EXPECT_TRUE(line.at("agrees")) << line;
    EXPECT_LE(line.at("error"), line.at("limit"));
    EXPECT_GT(line.at("error"), 0) << "bf16 has few digits";
    kinds += line.at("kinds");
  }
  EXPECT_THAT(kinds, HasSubstr("attend"));
  EXPECT_THAT(kinds, HasSubstr("gemm"));
  EXPECT_GT(fake->calls["cuLaunchKernel"], 0);
  expectNothingLeft();

  auto works = fake->run;
  // Kernels that write nothing cause a difference.
  fake->run = [](auto &&...) { return 0; };
  EXPECT_EQ(check(at("packed"), at("wrong")), 1);
  for (const Json &line : readLines(at("wrong")))
    EXPECT_FALSE(line.at("agrees")) << line;
  // A device that fails causes a failure.
  fake->run = [](auto &&...) { return 719; };
  EXPECT_EQ(check(at("packed"), at("failed")), 1);
  EXPECT_THAT(readLines(at("failed")).at(0).at("why"), HasSubstr("LAUNCH_FAILED"));
  expectNothingLeft();
  // A failing call fails alone: the next call opens the device anew.
  int opened = fake->calls["cuModuleLoadData"];
  fake->run = [launches = 0, works](auto &&...all) mutable { return launches++ == 0 ? 719 : works(all...); };
  EXPECT_EQ(check(at("packed"), at("once")), 1);
  lines = readLines(at("once"));
  EXPECT_FALSE(lines.at(0).at("agrees"));
  for (size_t number = 1; number < lines.size(); ++number)
    EXPECT_TRUE(lines[number].at("agrees")) << lines[number];
  EXPECT_EQ(fake->calls["cuModuleLoadData"], opened + 2);
  // One library alone, and a library without calls.
  EXPECT_EQ(check(at("packed"), at("one"), "models/other.so"), 0);
  EXPECT_FALSE(std::filesystem::exists(at("one")));
  EXPECT_EQ(check(at("packed"), at("one"), "models/checks-bf16.so"), 0);
  EXPECT_EQ(readLines(at("one")).size(), 11);
  testing::internal::CaptureStdout();
  EXPECT_EQ(list(at("packed")), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "check models/checks-bf16.so\nmeasure copies\n");
  expectNothingLeft();
}

/// Compares loops and moved elements, and the contents of caches after the call.
TEST_F(PackedCalls, AgreeInWhatTheyKeep) {
  Json wanted = table();
  Json model = {{"model", "tests/e2e/models/moves.attn"},
                {"precisions", {"f32"}},
                {"entries", {"next_prefill", "next", "narrow"}},
                {"sizes", {{"batch", 3}, {"seq", 4}}}};
  wanted["checks"].push_back(model);
  packAndLoad(wanted, model, Precision::F32);
  EXPECT_EQ(check(at("packed"), at("results")), 0);
  std::set<std::string> calls, results;
  std::string kinds;
  for (const Json &line : readLines(at("results"))) {
    EXPECT_TRUE(line.at("agrees")) << line;
    calls.insert(line.at("name"));
    if (line.at("name") == "moves-f32.next")
      results.insert(line.at("result"));
    kinds += line.at("kinds");
  }
  EXPECT_EQ(calls, (std::set<std::string>{"moves-f32.next_prefill", "moves-f32.next", "moves-f32.narrow"}));
  EXPECT_EQ(results, (std::set<std::string>{"next", "past"})) << "the result, and the cache";
  EXPECT_THAT(kinds, HasSubstr("loops"));
  expectNothingLeft();
}

/// device.attn has so many classes that weights in bf16 change some of the largest of near values.
TEST_F(PackedCalls, LeavesOutWhatRoundingDecides) {
  Json wanted = table();
  Json model = {{"model", "tests/e2e/models/device.attn"},
                {"precisions", {"f32", "bf16"}},
                {"entries", {"classify", "embed"}},
                {"without", {"embed"}},
                {"sizes", {{"rows", 1500}}}};
  wanted["checks"].push_back(model);
  write("wanted.json", wanted.dump());
  pack(at("wanted.json"), ATTNC_ROOT, at("packed"));
  Json calls = readJson(at("packed/checks.json"));
  ASSERT_EQ(calls.size(), 1);
  EXPECT_EQ(calls[0].at("name"), "device-f32.classify");
}

/// Returns the description of a timed product.
Json product() {
  return {{"name", "gemm"},        {"title", "product"},
          {"kind", "gemm"},        {"model", "benchmarks/device/gemm.attn"},
          {"entry", "products"},   {"settings", {{"n", 16}}},
          {"launches", 4},         {"unit", "B"},
          {"least", 1e-12},        {"goal", 1e9},
          {"peers", Json::array()}};
}

TEST_F(PackedCalls, AreTimed) {
  Json wanted = table(), model = product();
  wanted["measures"].push_back(model);
  packAndLoad(wanted, model, Precision::BF16);
  testing::internal::CaptureStdout();
  EXPECT_EQ(list(at("packed")), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "measure copies\nmeasure gemm\n");
  ASSERT_EQ(measure(at("packed"), at("results")), 0);
  std::vector<Json> lines = readLines(at("results"));
  ASSERT_EQ(lines.size(), 2);
  EXPECT_EQ(lines[0].at("name"), "copy");
  EXPECT_GT(lines[0].at("value"), 0);
  EXPECT_EQ(lines[1].at("case"), "gemm");
  EXPECT_GT(lines[1].at("seconds"), 0);
  EXPECT_EQ(lines[1].at("image"), "sm_80");
  EXPECT_GT(fake->calls["cuGraphLaunch"], 0) << "launches that come again are a graph";
  expectNothingLeft();
  std::filesystem::create_directory(at("page"));
  ASSERT_EQ(report(at("packed/cases.json"), at("page"), at("results")), 0);
  EXPECT_THAT(textOf(at("page/h200.md")), HasSubstr("| enough |"));
}

TEST_F(PackedCalls, CopiesThatFailLeaveNothing) {
  write("cases.json", table().dump());
  for (const char *call : {"cuDevicePrimaryCtxRetain", "cuCtxPushCurrent_v2", "cuStreamCreate", "cuMemAlloc_v2"}) {
    fake->failures = {{call, 2}};
    EXPECT_EQ(measure(folder, at("results")), 1) << call;
    expectNothingLeft();
  }
  setenv("ATTN_DEVICE", "7", 1);
  fake->failures = {{"cuDeviceGet", 101}};
  EXPECT_EQ(measure(folder, at("results")), 1);
  EXPECT_NE(describe(at("results")), 0) << "there is one device";
  unsetenv("ATTN_DEVICE");
}

TEST_F(DeviceCheck, UnknownWordsAndInputsAreRefused) {
  auto said = [&](const Json &measure) -> std::string {
    write("wanted.json", Json{{"measures", Json::array({measure})}, {"checks", Json::array()}}.dump());
    try {
      pack(at("wanted.json"), ATTNC_ROOT, at("packed"));
    } catch (const std::exception &error) {
      return error.what();
    }
    return "";
  };
  Json wrong = product();
  wrong["kind"] = "conv";
  EXPECT_EQ(said(wrong), "gemm: kind is 'conv', expected one of attention, decode, gemm");
  wrong = product();
  wrong["peers"] = {"torch"};
  EXPECT_THAT(said(wrong), HasSubstr("a peer is 'torch'"));
  wrong = product();
  wrong["model"] = "benchmarks/device/checks.attn";
  wrong["entry"] = "documents";
  wrong["settings"] = Json::object();
  EXPECT_THAT(said(wrong), HasSubstr("gemm: entry point documents has inputs or dimensions"));
}

TEST_F(DeviceCheck, PacksWhatIsAskedForAlone) {
  Json model = {{"model", "benchmarks/device/gemm.attn"}, {"precisions", {"f32"}}, {"settings", {{"n", 16}}}};
  Json wanted = {{"compile", {{"model", "benchmarks/device/gemm.attn"}, {"entry", "products"}}},
                 {"measures", Json::array({product()})},
                 {"checks", Json::array({model})}};
  write("wanted.json", wanted.dump());
  pack(at("wanted.json"), ATTNC_ROOT, at("packed"), "gemm.attn");
  EXPECT_EQ(readJson(at("packed/cases.json")).at("measures").size(), 0);
  EXPECT_EQ(readJson(at("packed/checks.json")).size(), 1);
  EXPECT_EQ(readLines(at("packed/packed.jsonl")).at(0), (Json{{"what", "packed"}, {"calls", 1}}));
  auto said = [&](const std::string &only) -> std::string {
    try {
      pack(at("wanted.json"), ATTNC_ROOT, at("packed"), only);
    } catch (const std::exception &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(said("gmem"), "--only: no model's path and no case's name has 'gmem'; did you mean 'gemm'?");
  EXPECT_EQ(said("other"), "--only: no model's path and no case's name has 'other'; there are "
                           "benchmarks/device/gemm.attn, gemm");
}

TEST_F(DeviceCheck, ReportsWhatWasFound) {
  write(
      "results.jsonl",
      R"({"what": "device", "name": "NVIDIA H100 80GB HBM3", "architecture": 90, "processors": 132, "memory_bytes": 8.5e10, "driver": "13.1"}
{"what": "packed", "calls": 5}
{"what": "rate", "name": "cublas", "value": 7e14}
{"what": "rate", "name": "copy", "value": 3e12}
{"what": "time", "case": "compile", "by": "attnc", "seconds": 2}
{"what": "time", "case": "full-128", "by": "attnc", "seconds": 0.0055, "image": "sm_90a"}
{"what": "time", "case": "full-128", "by": "flash", "seconds": 0.006}
{"what": "time", "case": "recent-128", "by": "attnc", "seconds": 0.0005}
{"what": "time", "case": "recent-128", "by": "flex", "seconds": 0.001}
{"what": "time", "case": "decode-8k", "by": "attnc", "seconds": 0.0008}
{"what": "check", "name": "a.x", "kinds": "attend", "result": "y", "error": 1e-7, "limit": 1e-6, "agrees": true}
{"what": "check", "name": "a.z", "kinds": "rows", "result": "y", "error": "infinite", "limit": 1e-6, "agrees": false}
{"what": "check", "name": "b", "kinds": "gemm", "agrees": false, "why": "no memory"}
{"what": "missing", "name": "triton on full-128", "why": "No module named 'triton'"}
)");
  ASSERT_EQ(report(cases, folder, at("results.jsonl")), 0);
  std::string page = textOf(at("h100.md"));
  // 4 x 16 x 128 x 16384^2 operations in 5.5 ms are 0.571 of 7e14 a second.
  for (const char *text :
       {"Run on NVIDIA H100 80GB HBM3: sm_90, 132 processors, 85.0 GB.",
        "The driver supports CUDA 13.1; it ran the images for sm_90a.", "**Only 3 of 5 calls were made.**", "700 TFLOP/s",
        "3000 GB/s", "full | 0.55 C (0.82) | 0.57 | enough | 5.500 | 0.52 | - | - | - |",
        "| 1.1 × FlexAttention (1.4) | 2.00 | goal |", "16 × 8192 keys | 0.7 B (0.9) | 0.22 | **too slow** |",
        "causal | 0.45 C (0.75) | - | not measured |", "| at most 1.5 s | 2.00 s, **too slow** |",
        "1 of 3 results are within their limits", "- `a.z` y: error \"infinite\"", "- `b` : no memory",
        "- triton on full-128: No module named 'triton'"})
    EXPECT_THAT(page, HasSubstr(text));
}

/// Tests the page before a run has filled it.
TEST_F(DeviceCheck, ThePageSaysWhatIsWanted) {
  std::string page = textOf(ATTNC_ROOT "/benchmarks/results/h200.md");
  if (page.find("**Not yet run on a device.**") == std::string::npos)
    GTEST_SKIP() << "a run has filled it";
  ASSERT_EQ(report(cases, folder, ""), 0);
  EXPECT_EQ(textOf(at("h200.md")), page) << "scripts/gpu-check report writes it";
}

} // namespace
} // namespace attnc::device
