// Tests the log of a training run, also on full disks.

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

/// Limits the size of all files during its lifetime, as a full disk does.
class SmallFiles {
public:
  explicit SmallFiles(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit small = {bytes, before.rlim_max};
    handler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() {
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }

private:
  rlimit before;
  void (*handler)(int);
};

class StepLogTest : public testing::Test {
protected:
  StepLog read(int64_t step) {
    lines.clear();
    auto take = [this](const std::string &line) {
      lines.push_back(line);
      return true;
    };
    auto log = StepLog::open(path, "step,loss", step, take);
    EXPECT_TRUE(bool(log));
    return std::move(*log);
  }
  StepLog open(int64_t step) {
    StepLog log = read(step);
    EXPECT_FALSE(bool(log.replace()));
    return log;
  }
  std::string text() const {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  TemporaryFolder folder{"step-log"};
  fs::path path = folder.path() / "log.csv";
  std::vector<std::string> lines; ///< the lines of the log
};

TEST_F(StepLogTest, ForgetsWhatIsBehindTheStepOrCutOff) {
  std::ofstream(path) << "step,loss\n1,0.5\n2,0.25\n3,0.125\n2,0.1";
  open(2);
  EXPECT_EQ(lines, (std::vector<std::string>{"1,0.5", "2,0.25"}));
  EXPECT_EQ(text(), "step,loss\n1,0.5\n2,0.25\n");
}

TEST_F(StepLogTest, ForgetsNoLineThatSomebodyChanged) {
  for (const char *line : {"0.25,2", "2;0.25", "", "2"}) {
    std::ofstream(path) << "step,loss\n1,0.5\n" << line << "\n3,0.125\n";
    auto log = StepLog::open(path, "step,loss", 3, [](const std::string &each) { return each.size() > 2; });
    ASSERT_FALSE(bool(log)) << line;
    EXPECT_EQ(llvm::toString(log.takeError()),
              path.string() + ":3: '" + line + "' is not a line of step,loss; correct or remove it");
  }
}

TEST_F(StepLogTest, IsAsItWasUntilItIsReplaced) {
  std::string old = "step,loss\n1,0.5\n2,0.25\n3,0.1";
  std::ofstream(path) << old;
  StepLog log = read(1);
  EXPECT_EQ(text(), old);
  {
    SmallFiles limit(14);
    EXPECT_EQ(llvm::toString(log.replace()), "can't write " + path.string() + ": File too large");
  }
  EXPECT_EQ(text(), old);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  log.add("2,0.75\n");
  EXPECT_FALSE(bool(log.replace()));
  EXPECT_EQ(text(), "step,loss\n1,0.5\n2,0.75\n");
}

TEST_F(StepLogTest, WritesLaterWhatDidNotFit) {
  StepLog log = open(0);
  log.add("1,0.5\n");
  {
    SmallFiles limit(14);
    EXPECT_EQ(llvm::toString(log.write()), path.string() + ": cannot be written: File too large");
  }
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
