#include "compiler/Emit/EmbeddedWeights.h"
#include "compiler/Emit/Header.h"
#include "compiler/Emit/Json.h"
#include "compiler/Emit/Link.h"
#include "compiler/Emit/OutputFiles.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace attnc;
namespace fs = std::filesystem;

namespace {

/// An entry point with names that C and C++ reserve, or that collide with each other.
const char *moduleText = R"(
  model.parameter @w [2, 2] : tensor<3xf32> checkpoint "h.{0}.{1}.w" init <"ones", 0.0, 0.0>
  func.func private @work(%x: tensor<?x3xf32>, %w: tensor<3xf32>) -> tensor<?x3xf32>
      attributes {attn.kernel = "rows"} {
    return %x : tensor<?x3xf32>
  }
  func.func @score(%x: tensor<?x3xf32> {model.name = "int", model.shape = ["context", "3"]},
                   %y: tensor<?xi32> {model.name = "class", model.shape = ["2*context + 1"]},
                   %z: tensor<i1> {model.name = "context", model.shape = []},
                   %u: tensor<i1> {model.name = "attn_run", model.shape = []},
                   %v: tensor<i1> {model.name = "int64_t", model.shape = []},
                   %s: tensor<i1> {model.name = "m_model", model.shape = []},
                   %t: tensor<i1> {model.name = "NULL", model.shape = []})
      -> (tensor<?x3xf32> {model.name = "result", model.shape = ["context", "3"]})
      attributes {model.entry, model.doc = "Scores */*/ of\n  two lines. ",
                  model.dimensions = [#model.dimension<"context", 64, 1>]} {
    %c0 = arith.constant 0 : index
    %w = model.get @w[%c0, %c0] : tensor<3xf32>
    %a = func.call @work(%x, %w) : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    %b = func.call @work(%a, %w) : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    return %b : tensor<?x3xf32>
  }
)";

class Emit : public testing::Test {
protected:
  void SetUp() override {
    context.loadDialect<mlir::func::FuncDialect, mlir::scf::SCFDialect, mlir::arith::ArithDialect,
                        mlir::tensor::TensorDialect, mlir::attn::AttnDialect, mlir::model::ModelDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(moduleText, &context);
    ASSERT_TRUE(module);
    SizeExpr rows = SizeExpr::symbol(0);
    KernelCode code{{{"work_phase", rows}}, {}, SizeExpr(12), {rows * 30, rows * 12, rows * 12}};
    llvm::StringMap<KernelCode> codes;
    codes["work"] = code;
    program.prefix = "m";
    program.targetName = "x86-64-v3";
    program.kernels.push_back({module->lookupSymbol<mlir::func::FuncOp>("work"), "cpu", code, {}});
    program.parameters = *ParameterTable::of(*module);
    program.entries.push_back(*planEntry(module->lookupSymbol<mlir::func::FuncOp>("score"), codes));
    certify(program);
    directory = fs::path(testing::TempDir()) / ("emit." + std::to_string(getpid()));
    fs::create_directories(directory);
  }
  void TearDown() override { fs::remove_all(directory); }

  std::string path(const char *name) const { return (directory / name).string(); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto &entry : fs::directory_iterator(directory))
      names.push_back(entry.path().filename().string());
    llvm::sort(names);
    return names;
  }
  /// Compiles use.c as C and as C++.
  void expectCompiles() const {
    std::string flags =
        " -Wall -Wextra -Wpedantic -Werror -Wno-missing-field-initializers -fsyntax-only -I" ATTN_RUNTIME_INCLUDE
        " -I" ATTN_FILES_INCLUDE " -I" ATTN_CUDA_INCLUDE " ";
    EXPECT_EQ(std::system((ATTN_C_COMPILER " -std=c11 -pedantic" + flags + path("use.c")).c_str()), 0);
    EXPECT_EQ(std::system((ATTN_CXX_COMPILER " -std=c++17 -pedantic -x c++" + flags + path("use.c")).c_str()), 0);
  }
  std::string read(const char *name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Program program;
  fs::path directory;
};

/// Returns the bytes of a .safetensors file with the given header and data.
std::string safetensors(const std::string &header, size_t dataBytes) {
  std::string file(8, '\0');
  uint64_t length = header.size();
  memcpy(file.data(), &length, 8);
  file += header;
  for (size_t i = 0; i < dataBytes; ++i)
    file += char(i);
  return file;
}

/// Returns the header of a file with the four tensors of `w`, the last one first, followed by `more`.
std::string listHeader(const std::string &dtype, int elementBytes, const std::string &more = "") {
  std::string header = "{\"__metadata__\":{\"a\":\"b\"}";
  for (int element = 0; element < 4; ++element)
    header += ",\"h." + std::to_string(element / 2) + "." + std::to_string(element % 2) + ".w\":{\"dtype\":\"" + dtype +
              "\",\"shape\":[3],\"data_offsets\":[" + std::to_string(elementBytes * (3 - element)) + "," +
              std::to_string(elementBytes * (4 - element)) + "]}";
  return header + more + "}";
}

} // namespace

TEST_F(Emit, HeaderCompilesAsCAndCxx) {
  std::ofstream(path("m.h")) << headerText(program, "m.attn");
  std::ofstream(path("use.c")) << "#include \"m.h\"\n#include \"m.h\"\nint main(void) { attn_context c = {0};"
                                  "float x[3], y[3]; int32_t k[3] = {0}; uint8_t b = 0;"
                                  "return m_score(&c, 1, x, k, &b, &b, &b, &b, &b, y, 0) == ATTN_OK &&"
                                  "m_score_arena_bytes(1, 1) > 0; }\n";
  expectCompiles();
}

TEST_F(Emit, HeaderSaysShapesAndBounds) {
  std::string header = headerText(program, "m.attn");
  for (const char *line : {
           "static inline int64_t m_score_arena_bytes(int64_t context_, int64_t workers) {",
           "static inline attn_code m_score(const attn_context *context, int64_t context_, const float *int_,",
           "/* Scores * / * / of\n * two lines.\n * Runs entry point `score`.",
           " *   context_   1 to 64\n",
           " *   int_       f32[context, 3], read\n",
           " *   class_     i32[2*context + 1], read\n",
           " *   context__  bool, read\n",
           " *   attn_run_  bool, read\n",
           " *   result     f32[context, 3], written\n",
           "  tensors[1].shape[0] = 2*context_ + 1;\n",
       })
    EXPECT_NE(header.find(line), std::string::npos) << line << "\nin\n" << header;
}

/// On a device, the handle of the device replaces the context with an arena, as it manages its own memory.
TEST_F(Emit, HeaderOfADeviceTakesTheDevice) {
  program.images.emplace_back();
  std::string header = headerText(program, "m.attn");
  EXPECT_NE(header.find("attn_code m_score(attn_cuda *cuda, int64_t context_, const float *int_,"), std::string::npos)
      << header;
  EXPECT_EQ(header.find("arena_bytes("), std::string::npos) << header;
  EXPECT_EQ(header.find("attn_run(&"), std::string::npos) << header;
  std::ofstream(path("m.h")) << header;
  std::ofstream(path("use.c"))
      << "#include \"m.h\"\nint main(void) { float x[3], y[3]; int32_t k[3] = {0}; uint8_t b = 0;"
         "return m_score((attn_cuda *)0, 1, x, k, &b, &b, &b, &b, &b, y, 0) == ATTN_OK; }\n";
  expectCompiles();
}

TEST_F(Emit, JsonHoldsCertificates) {
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(jsonText(program, "m.attn"));
  ASSERT_TRUE(bool(json));
  const llvm::json::Object &model = *json->getAsObject();
  const llvm::json::Object &entry = *model.getArray("entries")->front().getAsObject();
  const llvm::json::Object &dimension = *entry.getArray("dimensions")->front().getAsObject();
  EXPECT_EQ(dimension.getInteger("min"), 1);
  EXPECT_EQ(dimension.getInteger("max"), 64);
  EXPECT_EQ(entry.getString("name"), "score");
  EXPECT_EQ(entry.getString("doc"), "Scores */*/ of\n  two lines. ");
  EXPECT_EQ(entry.getArray("inputs")->size(), 7u);
  EXPECT_EQ(entry.getString("arena_bytes"), program.entries[0].arenaBytes.text({"context", "workers"}));
  ASSERT_EQ(entry.getArray("slots")->size(), 2u);
  EXPECT_EQ(entry.getArray("slots")->back().getAsString(),
            program.entries[0].slots[1].bytes.text({"context", "workers"}));
  const llvm::json::Object &kernel = *model.getArray("kernels")->front().getAsObject();
  ASSERT_EQ(kernel.getArray("launches")->size(), 2u);
  const llvm::json::Object &launch = *kernel.getArray("launches")->front().getAsObject();
  EXPECT_EQ(launch.getString("flops"), "30*context");
  EXPECT_EQ(launch.getString("bytes_read"), "12*context");
  EXPECT_EQ(launch.getString("largest_intermediate"), "64*workers");
  EXPECT_EQ(launch.getBoolean("holds_all_pairs"), false);
}

TEST_F(Emit, FilesAppearTogether) {
  OutputFiles output;
  ASSERT_FALSE(bool(output.write(path("a"), "first")));
  ASSERT_FALSE(bool(output.write(path("deep/b"), "second")));
  EXPECT_FALSE(fs::exists(path("a")));
  ASSERT_FALSE(bool(output.commit()));
  EXPECT_EQ(files(), (std::vector<std::string>{"a", "deep"}));
  EXPECT_EQ(read("a"), "first");
  EXPECT_EQ(read("deep/b"), "second");
}

TEST_F(Emit, UncommittedFilesLeaveNothing) {
  std::ofstream(path("a")) << "old";
  {
    OutputFiles output;
    ASSERT_FALSE(bool(output.write(path("a"), "new")));
  }
  EXPECT_EQ(files(), std::vector<std::string>{"a"});
  EXPECT_EQ(read("a"), "old");
}

TEST_F(Emit, FullDiskLeavesWhatWasThere) {
  std::ofstream(path("a")) << "old";
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = {4096, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  {
    OutputFiles output;
    llvm::Error error = output.write(path("a"), std::string(100000, 'x'));
    setrlimit(RLIMIT_FSIZE, &before);
    ASSERT_TRUE(bool(error));
    EXPECT_EQ(llvm::toString(std::move(error)), "can't write " + path("a") + ": File too large");
  }
  EXPECT_EQ(files(), std::vector<std::string>{"a"});
  EXPECT_EQ(read("a"), "old");
}

TEST_F(Emit, InterruptLeavesWhatWasThere) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "TSan delivers no signals in a forked child";
#endif
  std::ofstream(path("a")) << "old";
  pid_t child = fork();
  if (child == 0) {
    OutputFiles output;
    llvm::consumeError(output.write(path("a"), "new"));
    llvm::consumeError(output.write(path("b"), "new"));
    raise(SIGINT);
    _exit(0); // reached if SIGINT is ignored
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(files(), std::vector<std::string>{"a"});
  EXPECT_EQ(read("a"), "old");
}

TEST_F(Emit, DirectoryInTheWayIsReported) {
  fs::create_directories(path("a"));
  OutputFiles output;
  llvm::Error error = output.write(path("a"), "x");
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(llvm::toString(std::move(error)), "can't write " + path("a") + ": Is a directory");
}

TEST_F(Emit, OneFileIsWrittenOnce) {
  OutputFiles output;
  ASSERT_FALSE(bool(output.write(path("a"), "first")));
  llvm::Error error = output.write(path("deep/../a"), "second");
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(llvm::toString(std::move(error)),
            "can't write " + path("deep/../a") + ": another output has the same path");
}

TEST_F(Emit, ArchiveHoldsTheObject) {
  llvm::Expected<std::string> archive = archiveOf("bytes of an object", "m.o");
  ASSERT_TRUE(bool(archive));
  EXPECT_EQ(*archive, *archiveOf("bytes of an object", "m.o"));
  auto parsed = llvm::object::Archive::create(llvm::MemoryBufferRef(*archive, "m.a"));
  ASSERT_TRUE(bool(parsed));
  llvm::Error error = llvm::Error::success();
  int members = 0;
  for (const llvm::object::Archive::Child &child : (*parsed)->children(error)) {
    EXPECT_EQ(*child.getName(), "m.o");
    EXPECT_EQ(*child.getBuffer(), "bytes of an object");
    ++members;
  }
  ASSERT_FALSE(bool(error));
  EXPECT_EQ(members, 1);
}

TEST_F(Emit, DependencyRuleEscapes) {
  EXPECT_EQ(dependencyRule("out/m.o", {"m.attn", "a b.attn", "c$.attn"}),
            "out/m.o: \\\n  m.attn \\\n  a\\ b.attn \\\n  c$$.attn\n");
}

TEST_F(Emit, WeightsAreFoundByCheckpointName) {
  std::ofstream(path("w.safetensors"), std::ios::binary) << safetensors(listHeader("F32", 12), 48);
  WeightsFile file;
  llvm::Error error = file.load(program, path("w.safetensors"));
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  ASSERT_EQ(file.values().size(), 4u);
  for (int element = 0; element < 4; ++element)
    EXPECT_EQ(file.values()[element].substr(0, 1), std::string(1, char(12 * (3 - element))));
}

TEST_F(Emit, ExtraTensorsAreLeftAloneOnRequest) {
  std::string extra = ",\"more\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[48,52]}";
  std::ofstream(path("w.safetensors"), std::ios::binary) << safetensors(listHeader("F32", 12, extra), 52);
  WeightsFile file;
  llvm::Error error = file.load(program, path("w.safetensors"), /*allowExtra=*/true);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_EQ(file.values().size(), 4u);
}

TEST_F(Emit, HalfPrecisionWeightsAreWidened) {
  std::ofstream(path("w.safetensors"), std::ios::binary) << safetensors(listHeader("BF16", 6), 24);
  WeightsFile file;
  llvm::Error error = file.load(program, path("w.safetensors"));
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  ASSERT_EQ(file.values().size(), 4u);
  for (int element = 0; element < 4; ++element) {
    char first = char(6 * (3 - element));
    EXPECT_EQ(file.values()[element].substr(0, 4), (std::string{0, 0, first, char(first + 1)}));
  }
}

TEST_F(Emit, BadWeightsAreExplained) {
  auto message = [&](const std::string &bytes) {
    std::ofstream(path("w.safetensors"), std::ios::binary) << bytes;
    WeightsFile file;
    llvm::Error error = file.load(program, path("w.safetensors"));
    std::string text = error ? llvm::toString(std::move(error)) : "accepted";
    return text == "accepted" ? text : text.substr(text.find(": ") + 2);
  };
  std::string extra = ",\"more\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[48,52]}";
  EXPECT_EQ(message(safetensors("{}", 0)), "tensor 'h.0.0.w' is missing, expected F32[3] (parameter w)");
  EXPECT_EQ(message(safetensors(listHeader("I32", 12), 48)),
            "tensor 'h.0.0.w' is I32[3], expected F32[3] (parameter w)");
  EXPECT_EQ(message(safetensors(listHeader("F32", 12, extra), 52)), "tensor 'more' is not a parameter of m");
  EXPECT_NE(message(safetensors(listHeader("F32", 12), 40)), "accepted");
  EXPECT_NE(message(safetensors("nonsense", 0)), "accepted");
  EXPECT_NE(message("abc"), "accepted");
}
