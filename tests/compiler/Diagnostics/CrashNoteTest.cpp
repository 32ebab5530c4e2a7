// Tests that a crashing process prints its last note, writes the note's file and exits with the note's status, for each
// kind of crash.
#include "compiler/Diagnostics/CrashNote.h"
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <pthread.h>
#include <optional>
#include <stdexcept>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace attnc;

/// The random number in names of temporary files, if a test fixes it.
static std::optional<uint64_t> drawn;

extern "C" ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  if (!drawn || count != sizeof *drawn)
    return syscall(SYS_getrandom, bytes, count, flags);
  memcpy(bytes, &*drawn, count);
  return ssize_t(count);
}

namespace {

using testing::ExitedWithCode;

constexpr char message[] = "test: error: it failed\n";

/// Runs `crash` under the handler and a note.
void crashIn(void (*crash)()) {
  installCrashHandler();
  CrashNote note(message, 7);
  crash();
  _exit(0);
}

[[gnu::noinline]] int overflow(int depth) {
  volatile char frame[4096];
  frame[depth % 4096] = 1;
  return depth < 0 ? 0 : overflow(depth + 1) + frame[0];
}

[[gnu::noinline]] void fail() { throw std::runtime_error("unseen"); }

void *overflowOnThread(void *) {
  SignalStack signals;
  return reinterpret_cast<void *>(overflow(0));
}

TEST(CrashNote, EachSignalEndsWithTheNote) {
  auto raiseUnderNote = [](int signal) {
    installCrashHandler();
    CrashNote note(message, 7);
    raise(signal);
    _exit(0);
  };
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS})
    EXPECT_EXIT(raiseUnderNote(signal), ExitedWithCode(7), "^test: error: it failed\n$") << signal;
}

TEST(CrashNote, CrashesOfEachKindEndWithTheNote) {
  EXPECT_EXIT(crashIn([] { *static_cast<volatile int *>(nullptr) = 1; }), ExitedWithCode(7), message);
  EXPECT_EXIT(crashIn([] { abort(); }), ExitedWithCode(7), message);
  EXPECT_EXIT(crashIn([] { __builtin_trap(); }), ExitedWithCode(7), message);
  EXPECT_EXIT(crashIn([] { overflow(0); }), ExitedWithCode(7), message);
  EXPECT_EXIT(crashIn([]() noexcept { fail(); }), ExitedWithCode(7), "^test: error: it failed\n$");
  EXPECT_EXIT(crashIn([] { endByCrash("no such\nthing"); }), ExitedWithCode(7), message);
}

TEST(CrashNote, StackOfThreadOverflows) {
  EXPECT_EXIT(crashIn([] {
                pthread_t thread;
                pthread_create(&thread, nullptr, overflowOnThread, nullptr);
                pthread_join(thread, nullptr);
              }),
              ExitedWithCode(7), message);
}

TEST(CrashNote, InnermostNoteCounts) {
  auto crash = [](bool isInside) {
    installCrashHandler();
    CrashNote outer("outer\n", 3);
    {
      CrashNote inner("inner\n", 4);
      if (isInside)
        abort();
      inner.say("changed\n", 5);
    }
    abort();
  };
  EXPECT_EXIT(crash(true), ExitedWithCode(4), "^inner\n$");
  EXPECT_EXIT(crash(false), ExitedWithCode(3), "^outer\n$");
}

TEST(CrashNote, CrashWithoutNoteIsAFaultOfAttnc) {
  auto crash = [] {
    installCrashHandler();
    abort();
  };
  EXPECT_EXIT(crash(), ExitedWithCode(2), "^attnc: error: attnc crashed \\(SIGABRT\\); this is a bug in attnc\n$");
}

TEST(CrashNote, MemoryEndsWithALine) {
  EXPECT_EXIT(crashIn([] { endOutOfMemory(); }), ExitedWithCode(1), "^attnc: error: there is not enough memory\n$");
}

class KeptFile : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() / ("crash-note-" + std::to_string(getpid()));
    std::filesystem::create_directory(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  void crashWith(const std::vector<std::string> &paths, const std::string &body = "body") const {
    installCrashHandler();
    CrashNote note("it failed\n");
    note.keep(paths, "// head\n", body);
    abort();
  }
  /// Crashes while no file can exceed 16 KB, as on a full disk.
  void crashOnFullDisk(const std::vector<std::string> &paths) const {
    rlimit limit = {16384, 16384};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    crashWith(paths, std::string(100000, 'x'));
  }
  static std::string textOf(const std::string &path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::string path(const char *name) const { return folder / name; }

  std::filesystem::path folder;
};

TEST_F(KeptFile, IsTheFirstThatCanBeWritten) {
  EXPECT_EXIT(crashWith({path("none/a"), path("b"), path("c")}), ExitedWithCode(2),
              "^it failed\n  the reproducer is .*/b\n$");
  EXPECT_EQ(textOf(path("b")), "// head\n// it crashed: SIGABRT\nbody");
  EXPECT_FALSE(std::filesystem::exists(path("c")));
}

TEST_F(KeptFile, IsNoOtherFile) {
  std::filesystem::create_symlink(path("elsewhere"), path("link"));
  EXPECT_EXIT(crashWith({path("link"), "/dev/full"}), ExitedWithCode(2),
              "^it failed\n  the reproducer could not be saved\n$");
  EXPECT_FALSE(std::filesystem::exists(path("elsewhere")));
}

TEST_F(KeptFile, DoesNotFollowOrReplaceWhatHasTheNameOfItsPart) {
  drawn = 0x0123456789abcdef;
  std::ofstream(path("precious")) << "precious";
  std::filesystem::create_symlink(path("precious"), path("a.0123456789abcdef.part"));
  std::filesystem::create_symlink(path("elsewhere"), path("b.0123456789abcdef.part"));
  std::filesystem::create_hard_link(path("precious"), path("c.0123456789abcdef.part"));
  EXPECT_EXIT(crashWith({path("a"), path("b"), path("c"), path("d")}), ExitedWithCode(2), "the reproducer is .*/d\n$");
  drawn.reset();
  EXPECT_EQ(textOf(path("precious")), "precious");
  EXPECT_FALSE(std::filesystem::exists(path("elsewhere")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 5) << "the planted ones and the file";
}

TEST_F(KeptFile, ReplacesAnOlderOneInFull) {
  std::ofstream(path("a")) << std::string(100, 'x');
  EXPECT_EXIT(crashWith({path("a")}), ExitedWithCode(2), "the reproducer is .*/a\n$");
  EXPECT_EQ(textOf(path("a")), "// head\n// it crashed: SIGABRT\nbody");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_F(KeptFile, LeavesAnOlderOneWhereTheDiskIsFull) {
  std::ofstream(path("a")) << "older";
  EXPECT_EXIT(crashOnFullDisk({path("a"), path("b")}), ExitedWithCode(2),
              "^it failed\n  the reproducer could not be saved\n$");
  EXPECT_EQ(textOf(path("a")), "older");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

/// An address identifies the object and the function that it belongs to.
TEST(LoadedCode, IsNamedByFunction) {
  auto begin = reinterpret_cast<uintptr_t>(&overflow);
  const LoadedCode::Function *function = nullptr;
  EXPECT_EQ(LoadedCode::at(begin, function), nullptr);
  LoadedCode before("a.o", {{1, 2, "none"}});
  auto code = std::make_unique<LoadedCode>("b.o", std::vector<LoadedCode::Function>{{begin, begin + 16, "kernel"}});
  LoadedCode after("c.o", {});
  EXPECT_EQ(LoadedCode::at(begin, function), code.get());
  EXPECT_EQ(function->name, "kernel");
  EXPECT_EQ(LoadedCode::at(begin + 16, function), nullptr);
  code.reset();
  EXPECT_EQ(LoadedCode::at(begin, function), nullptr);
  EXPECT_NE(LoadedCode::at(1, function), nullptr);
}

} // namespace
