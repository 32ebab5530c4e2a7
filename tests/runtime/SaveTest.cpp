// Tests that a checkpoint replaces the previous one atomically.

#include "attn/files.h"
#include "tests/runtime/ModelRecord.h"
#include "tests/support/TemporaryFolder.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace fs = std::filesystem;

/// The next random numbers for names of temporary files, if a test sets them.
static std::deque<uint64_t> drawn;
/// True if a signal interrupts the next request for random numbers.
static bool isInterrupted = false;

extern "C" ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  if (std::exchange(isInterrupted, false)) {
    errno = EINTR;
    return -1;
  }
  if (drawn.empty() || count != sizeof drawn.front())
    return syscall(SYS_getrandom, bytes, count, flags);
  memcpy(bytes, &drawn.front(), count);
  drawn.pop_front();
  return ssize_t(count);
}

namespace {

class Save : public testing::Test {
protected:
  Save() {
    EXPECT_EQ(attn_weights_initialise(&model, 1, nullptr, &weights, &status), ATTN_OK) << status.message;
  }
  ~Save() override { attn_weights_free(weights); }
  attn_code save() { return attn_weights_save(weights, path.c_str(), 0, &status); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const fs::directory_entry &each : fs::directory_iterator(folder))
      names.push_back(each.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  static std::string textOf(const fs::path &file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  fs::path part(const std::string &number) const { return path.string() + "." + number + ".part"; }

  attn_model model = emptyModel();
  attn_weights *weights = nullptr;
  attn_status status = {};
  attnc::TemporaryFolder temporary{"save"};
  fs::path folder = temporary.path(), path = folder / "x.safetensors";
};

TEST_F(Save, LeavesOneFileWithThePermissionsOfTheUmask) {
  mode_t before = umask(027);
  EXPECT_EQ(save(), ATTN_OK) << status.message;
  umask(before);
  EXPECT_EQ(files(), std::vector<std::string>{"x.safetensors"});
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

/// A file without a lock was abandoned by a killed writer; a locked file is being written.
TEST_F(Save, RemovesWhatWasAbandoned) {
  std::ofstream(part("0123456789abcdef")) << "abandoned";
  std::ofstream(part("1123456789abcdef")) << "being written";
  std::ofstream(part("0123456789ABCDEF")) << "no part";
  std::ofstream(part("1234")) << "no part";
  std::ofstream(folder / "y.safetensors.0123456789abcdef.part") << "of another file";
  int writer = open(part("1123456789abcdef").c_str(), O_WRONLY);
  ASSERT_EQ(flock(writer, LOCK_EX), 0);
  EXPECT_EQ(save(), ATTN_OK) << status.message;
  EXPECT_EQ(files(), (std::vector<std::string>{"x.safetensors", "x.safetensors.0123456789ABCDEF.part",
                                               "x.safetensors.1123456789abcdef.part", "x.safetensors.1234.part",
                                               "y.safetensors.0123456789abcdef.part"}));
  close(writer);
}

/// Files with the drawn names already exist: a link to a file, a dangling link, and a file that is being written.
TEST_F(Save, DoesNotFollowOrReplaceWhatHasTheNameOfItsPart) {
  std::ofstream(folder / "precious") << "precious";
  fs::create_symlink("precious", part("0000000000000001"));
  fs::create_symlink("elsewhere", part("0000000000000002"));
  std::ofstream(part("0000000000000003")) << "being written";
  int writer = open(part("0000000000000003").c_str(), O_WRONLY);
  ASSERT_EQ(flock(writer, LOCK_EX), 0);
  drawn = {1, 2, 3, 4};
  EXPECT_EQ(save(), ATTN_OK) << status.message;
  EXPECT_TRUE(drawn.empty());
  EXPECT_EQ(textOf(folder / "precious"), "precious");
  EXPECT_EQ(textOf(part("0000000000000003")), "being written");
  EXPECT_EQ(files(), (std::vector<std::string>{"precious", "x.safetensors", "x.safetensors.0000000000000001.part",
                                               "x.safetensors.0000000000000002.part",
                                               "x.safetensors.0000000000000003.part"}));
  EXPECT_TRUE(fs::is_symlink(part("0000000000000001")) && fs::is_symlink(part("0000000000000002")));
  close(writer);
}

/// An abandoned file is removed; its other hard link stays as it is.
TEST_F(Save, WritesToNoOtherNameOfAFile) {
  std::ofstream(folder / "precious") << "precious";
  fs::create_hard_link(folder / "precious", part("0000000000000001"));
  drawn = {1};
  EXPECT_EQ(save(), ATTN_OK) << status.message;
  EXPECT_TRUE(drawn.empty());
  EXPECT_EQ(textOf(folder / "precious"), "precious");
  EXPECT_EQ(files(), (std::vector<std::string>{"precious", "x.safetensors"}));
}

TEST_F(Save, TakesNamesOfAnyLength) {
  path = folder / std::string(NAME_MAX, 'x');
  EXPECT_EQ(save(), ATTN_OK) << status.message;
  EXPECT_EQ(files(), std::vector<std::string>{std::string(NAME_MAX, 'x')});
  path = folder / std::string(NAME_MAX + 1, 'x');
  EXPECT_EQ(save(), ATTN_BAD_FILE);
  EXPECT_NE(strstr(status.message, "File name too long"), nullptr) << status.message;
}

TEST_F(Save, DrawsANameAgainAfterASignal) {
  isInterrupted = true;
  EXPECT_EQ(save(), ATTN_OK) << status.message;
  EXPECT_FALSE(isInterrupted);
}

TEST_F(Save, ReplacesFilesAlone) {
  fs::create_directory(path);
  EXPECT_EQ(save(), ATTN_BAD_FILE);
  EXPECT_NE(strstr(status.message, "Is a directory"), nullptr) << status.message;
  fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(save(), ATTN_BAD_FILE);
  EXPECT_NE(strstr(status.message, "Operation not supported"), nullptr) << status.message;
  fs::remove(path);
  fs::create_symlink("x.safetensors", path); // a link to itself
  EXPECT_EQ(save(), ATTN_BAD_FILE);
  EXPECT_NE(strstr(status.message, "Too many levels of symbolic links"), nullptr) << status.message;
  EXPECT_EQ(files(), std::vector<std::string>{"x.safetensors"});
  EXPECT_TRUE(fs::is_symlink(path));
}

} // namespace
