#include "compiler/Diagnostics/InputFile.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using attnc::InputFile;
using attnc::readText;

namespace {

class InputFiles : public testing::Test {
protected:
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string at(const std::string &name) const { return folder + "/" + name; }
  std::string problemOf(const std::string &path) const {
    std::string problem;
    return readText(path, problem) ? "none" : problem;
  }
  std::string folder = testing::TempDir() + "input-files." + std::to_string(getpid());
};

} // namespace

TEST_F(InputFiles, AreRead) {
  std::string problem, text("a\0b\n", 4);
  std::ofstream(at("a")) << text;
  EXPECT_EQ(readText(at("a"), problem), text);
  InputFile file(at("a")), memory(InputFile::inMemory("m", text));
  for (InputFile *each : {&file, &memory}) {
    char bytes[2];
    EXPECT_TRUE(each->isOpen());
    EXPECT_EQ(each->size(), 4u);
    EXPECT_TRUE(each->read(2, 2, bytes));
    EXPECT_EQ(std::string(bytes, 2), "b\n");
    EXPECT_FALSE(each->read(3, 2, bytes));
    EXPECT_NE(each->problem(), "");
  }
}

TEST_F(InputFiles, SayWhyNot) {
  EXPECT_EQ(problemOf(at("none")), "No such file or directory");
  EXPECT_TRUE(InputFile(at("none")).isMissing());
  EXPECT_EQ(problemOf(folder), "it is a directory, expected a regular file");
  EXPECT_EQ(problemOf("/dev/zero"), "it is a device, expected a regular file");
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(problemOf(at("pipe")), "it is a pipe, expected a regular file");
  EXPECT_FALSE(InputFile(at("pipe")).isMissing());
}

TEST_F(InputFiles, ThatAreTruncatedSayHowMuchIsLeft) {
  std::ofstream(at("a")) << std::string(100000, 'a');
  InputFile file(at("a"));
  std::filesystem::resize_file(at("a"), 70000);
  std::string bytes(100000, '\0');
  EXPECT_FALSE(file.read(0, bytes.size(), bytes.data()));
  EXPECT_EQ(file.problem(), "it had 100000 bytes when it was opened, and ends at 70000 now");
}

TEST_F(InputFiles, BeyondTheMemoryAreAnError) {
  std::ofstream(at("a")).put('a');
  std::filesystem::resize_file(at("a"), uint64_t(1) << 43); // sparse
  EXPECT_EQ(problemOf(at("a")), "no memory for its 8796093022208 bytes");
}
