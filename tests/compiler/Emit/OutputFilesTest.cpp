// Tests that a file is replaced as a whole, and that a stream receives bytes after its present ones.
#include "compiler/Emit/OutputFiles.h"
#include "tests/support/TemporaryFolder.h"
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

using namespace attnc;

namespace {

class Output : public testing::Test {
protected:
  void SetUp() override {
    descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    ASSERT_GE(descriptor, 0);
    ASSERT_EQ(::write(descriptor, "header\n", 7), 7);
  }
  void TearDown() override { close(descriptor); }
  static std::string errorOf(const std::string &path, llvm::StringRef bytes) {
    return toString(OutputFiles::replace(path, bytes));
  }
  std::string text() const {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  TemporaryFolder folder{std::filesystem::temp_directory_path() / "output-files"};
  std::string path = folder.path() / "out";
  int descriptor = -1;
};

TEST_F(Output, FileIsReplaced) {
  EXPECT_EQ(errorOf(path, "page\n"), "");
  EXPECT_EQ(text(), "page\n");
}

TEST_F(Output, DescriptorIsWrittenBehindWhatItHolds) {
  std::string number = std::to_string(descriptor);
  EXPECT_EQ(errorOf("/dev/fd/" + number, "a long first page\n"), "");
  EXPECT_EQ(errorOf("/proc/self/fd/" + number, "page\n"), "");
  EXPECT_EQ(text(), "header\na long first page\npage\n");
}

TEST_F(Output, StandardOutputIsWrittenBehindWhatIsBuffered) {
  auto printed = [this] {
    dup2(descriptor, STDOUT_FILENO);
    std::printf("printed\n");
    std::string error = errorOf("/dev/stdout", "page\n");
    std::printf("last\n");
    std::exit(error.empty() ? 0 : 1);
  };
  EXPECT_EXIT(printed(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(text(), "header\nprinted\npage\nlast\n");
}

TEST_F(Output, ClosedDescriptorIsAnError) {
  EXPECT_EQ(errorOf("/dev/fd/1000", "page\n"), "can't write /dev/fd/1000: Bad file descriptor");
}

TEST_F(Output, StreamsAreDevicesPipesAndDescriptors) {
  EXPECT_TRUE(OutputFiles::isStream("/dev/stdout"));
  EXPECT_TRUE(OutputFiles::isStream("/proc/self/fd/1"));
  EXPECT_TRUE(OutputFiles::isStream("/dev/null"));
  EXPECT_FALSE(OutputFiles::isStream(path));
  EXPECT_FALSE(OutputFiles::isStream(path + ".new"));
}

} // namespace
