// A log that grows while a model is trained, on disks that fail.

#include "tools/attnc/Train/StepLog.h"
#include "tests/support/TemporaryFolder.h"
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>

using namespace attnc;
namespace fs = std::filesystem;

namespace {

class StepLogTest : public testing::Test {
protected:

  StepLog open(int64_t step) {
    lines.clear();
    auto take = [this](const std::string &line) {
      lines.push_back(line);
      return true;
    };
    auto log = StepLog::open(path, "step,loss", step, take);
    EXPECT_TRUE(bool(log));
    return std::move(*log);
  }
  std::string text() const {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  TemporaryFolder folder{"step-log"};
  fs::path path = folder.path() / "log.csv";
  std::vector<std::string> lines; ///< that the log had
};

TEST_F(StepLogTest, ForgetsWhatIsBehindTheStepOrCutOff) {
  std::ofstream(path) << "step,loss\n1,0.5\n2,0.25\n3,0.125\n2,0.1";
  open(2);
  EXPECT_EQ(lines, (std::vector<std::string>{"1,0.5", "2,0.25"}));
  EXPECT_EQ(text(), "step,loss\n1,0.5\n2,0.25\n");
}

TEST_F(StepLogTest, WritesLaterWhatDidNotFit) {
  StepLog log = open(0);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = {14, before.rlim_max};
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  log.add("1,0.5\n");
  EXPECT_EQ(llvm::toString(log.write()), path.string() + ": cannot be written: File too large");
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  log.add("2,0.25\n");
  EXPECT_FALSE(bool(log.write()));
  EXPECT_EQ(text(), "step,loss\n1,0.5\n2,0.25\n");
}

TEST_F(StepLogTest, IsWholeAgainWhereSomebodyRemovedIt) {
  StepLog log = open(0);
  log.add("1,0.5\n");
  EXPECT_FALSE(bool(log.write()));
  fs::remove(path);
  log.add("2,0.25\n");
  EXPECT_FALSE(bool(log.write()));
  EXPECT_EQ(text(), "step,loss\n1,0.5\n2,0.25\n");
}

} // namespace
