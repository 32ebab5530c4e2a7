// A compile that the cache has an object for: the key of the compile, and the phases that do not run.
#include "compiler/Pipeline/CompileKey.h"
#include "llvm/Support/raw_ostream.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace attnc;

namespace {

std::string keyOf(const CompileOptions &options, const std::string &module = "module {}") {
  Compilation made;
  Job job(options, made, llvm::nulls());
  job.target = llvm::cantFail(Target::resolve(options.target));
  made.program.prefix = options.prefix;
  return compileKey(module, job);
}

/// A folder for the files of a test.
class Folder {
public:
  Folder() : path(testing::TempDir() + "compile-key-" + std::to_string(getpid())) {
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(path + "/" + name) << text;
    return path + "/" + name;
  }

  const std::string path;
};

using Change = void (*)(CompileOptions &);

/// Changes of options of the phases after import, by their names.
const std::pair<const char *, Change> changes[] = {
    {"input", [](CompileOptions &options) { options.input = "other.attn"; }},
    {"target", [](CompileOptions &options) { options.target = "x86-64-v3"; }},
    {"features", [](CompileOptions &options) { options.target = "x86-64-v4:-avx512bf16"; }},
    {"device", [](CompileOptions &options) { options.target = "cuda:sm_80"; }},
    {"image of a device", [](CompileOptions &options) { options.target = "cuda"; }},
    {"prefix", [](CompileOptions &options) { options.prefix = "other"; }},
    {"writer", [](CompileOptions &options) { options.writer = WriterRequest(); }},
    {"entry of the writer",
     [](CompileOptions &options) {
       options.writer = WriterRequest{"write", "", "", 1, false};
     }},
    {"drafts", [](CompileOptions &options) { options.writer = WriterRequest{"", "", "", 1, true, 3}; }},
    {"verified drafts", [](CompileOptions &options) { options.writer = WriterRequest{"", "", "", 1, true, 3, true}; }},
    {"states of the writer",
     [](CompileOptions &options) {
       options.writer = WriterRequest{"", "", "", 1, true};
     }},
    {"streams", [](CompileOptions &options) { options.streams = true; }},
    {"entries", [](CompileOptions &options) { options.entries = {"a"}; }},
    {"two entries",
     [](CompileOptions &options) {
       options.entries = {"a", "b"};
     }},
    {"studied", [](CompileOptions &options) { options.studied = "a"; }},
    {"kernelNames", [](CompileOptions &options) { options.kernelNames = NamesOf::Entry; }},
    {"other kernelNames", [](CompileOptions &options) { options.kernelNames = NamesOf::Model; }},
    {"overrides",
     [](CompileOptions &options) {
       options.overrides = {{"gemm", "mr", "6"}};
     }},
    {"value of an override", [](CompileOptions &options) { options.overrides = {{"gemm", "mr", "4"}}; }},
    {"origin of an override", [](CompileOptions &options) { options.overrides = {{"gemm", "mr", "4", "a:1"}}; }},
    {"script", [](CompileOptions &options) { options.script = "none.mlir"; }},
    {"tuning", [](CompileOptions &options) { options.tuning = "none.json"; }},
    {"at", [](CompileOptions &options) { options.at = {{"n", 3}}; }},
    {"another size", [](CompileOptions &options) { options.at = {{"n", 4}}; }},
    {"memoryBudget", [](CompileOptions &options) { options.memoryBudget = 1000; }},
    {"emitter", [](CompileOptions &options) { options.emitter = EmitterPreference::Auto; }},
    {"another emitter", [](CompileOptions &options) { options.emitter = EmitterPreference::Cpu; }},
    {"precision", [](CompileOptions &options) { options.precision = Precision::BF16; }},
    {"debugLines", [](CompileOptions &options) { options.debugLines = true; }},
    {"raises", [](CompileOptions &options) { options.raises = false; }},
    {"requireFused", [](CompileOptions &options) { options.requireFused = true; }},
    {"records", [](CompileOptions &options) { options.records = false; }},
    {"numbersOps", [](CompileOptions &options) { options.numbersOps = true; }}};

TEST(CompileKey, DependsOnEachOptionOfThePhasesAfterImport) {
  CompileOptions options;
  options.input = "a.attn";
  options.target = "x86-64-v4";
  options.prefix = "a";
  std::map<std::string, std::string> names = {{keyOf(options), "nothing"}};
  for (const auto &[name, change] : changes) {
    CompileOptions changed = options;
    change(changed);
    auto [other, isNew] = names.try_emplace(keyOf(changed), name);
    EXPECT_TRUE(isNew) << name << " is like " << other->second;
  }
  EXPECT_NE(keyOf(options), keyOf(options, "module @other {}"));
}

TEST(CompileKey, DependsOnContentsOfFiles) {
  Folder folder;
  for (std::string CompileOptions::*file : {&CompileOptions::script, &CompileOptions::tuning}) {
    CompileOptions options;
    options.*file = folder.write("file", "a");
    std::string before = keyOf(options);
    EXPECT_EQ(keyOf(options), before);
    folder.write("file", "b");
    EXPECT_NE(keyOf(options), before);
  }
}

TEST(CompileKey, IsTheSameForOptionsThatDoNotChangeTheObject) {
  CompileOptions options, changed;
  options.writer = WriterRequest{"write", "", "", 1, true};
  changed.writer = WriterRequest{"write", "a", "a", 2, true}; // the imported module has the effect
  changed.cache = "a";
  changed.objectAlone = true;
  changed.reproducerDirectory = "a";
  EXPECT_EQ(keyOf(options), keyOf(changed));
}

class CachedCompileTest : public testing::Test {
protected:
  /// The object of the next compile. Sets `messages`.
  std::string object(Compilation &made, bool isAlone) {
    CompileOptions options;
    options.input = ATTNC_INPUTS "/mlp.attn";
    options.precision = Precision::BF16; // has a message
    options.cache = folder.path;
    options.objectAlone = isAlone;
    messages.clear();
    llvm::raw_string_ostream stream(messages);
    EXPECT_EQ(compile(options, made, stream), Outcome::Done) << messages;
    return {made.object.begin(), made.object.end()};
  }
  bool ranLaterPhases(const Compilation &made) const { return !made.program.entries.empty(); }

  Folder folder;
  std::string messages;
};

TEST_F(CachedCompileTest, SkipsPhasesAfterImport) {
  Compilation first, second, third;
  std::string expected = object(first, /*isAlone=*/true), printed = messages;
  EXPECT_TRUE(ranLaterPhases(first));
  EXPECT_NE(printed, "");
  EXPECT_EQ(object(second, /*isAlone=*/true), expected);
  EXPECT_EQ(messages, printed);
  EXPECT_FALSE(ranLaterPhases(second));
  EXPECT_EQ(object(third, /*isAlone=*/false), expected);
  EXPECT_EQ(messages, printed);
  EXPECT_TRUE(ranLaterPhases(third));
}

TEST_F(CachedCompileTest, RepeatsPhasesIfAFileIsDamagedOrMissing) {
  Compilation first;
  std::string expected = object(first, /*isAlone=*/true), printed = messages;
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder.path))
    if (entry.path().filename() != "llvmcache.timestamp")
      files.push_back(entry.path());
  ASSERT_EQ(files.size(), 2u); // the object and the record
  for (bool isMissing : {false, true})
    for (const std::filesystem::path &file : files) {
      if (isMissing)
        std::filesystem::remove(file);
      else
        std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
      Compilation made;
      EXPECT_EQ(object(made, /*isAlone=*/true), expected);
      EXPECT_EQ(messages, printed);
      EXPECT_TRUE(ranLaterPhases(made)) << file;
      Compilation repaired;
      EXPECT_EQ(object(repaired, /*isAlone=*/true), expected);
      EXPECT_FALSE(ranLaterPhases(repaired)) << file;
    }
}

} // namespace
