// Compiles a model through every phase, loads it and runs it: packed, embedded and drawn weights, and threads.
#include "attn/attn.h"
#include "compiler/Diagnostics/CrashNote.h"
#include "compiler/Pipeline/Compile.h"
#include "tests/support/GuardedBuffer.h"
#include "tools/attnc/Call/LoadedModel.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace attnc;

namespace {

constexpr int64_t layers = 3, dim = 64, rows = 37;

/// Compiles and loads mlp.attn.
class Pipeline : public testing::Test {
protected:
  void load(CompileOptions options = {}) {
    options.input = ATTNC_INPUTS "/mlp.attn";
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    ASSERT_EQ(compile(options, made, stream), Outcome::Done) << messages;
    auto object =
        llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(made.object.data(), made.object.size()), "mlp.o");
    llvm::Expected<LoadedModel> model = LoadedModel::fromObject(std::move(object));
    ASSERT_TRUE(bool(model)) << llvm::toString(model.takeError());
    loaded.emplace(std::move(*model));
  }

  /// Runs the model with an arena of exactly the promised size, filled with NaN, between guard pages.
  std::vector<float> run(attn_weights *weights, const attn_executor *executor) {
    int64_t dimension = rows;
    int64_t bytes = loaded->model().entries[0].arena_bytes(&dimension, executor->workers);
    GuardedBuffer arena(bytes, Placement::AgainstEnd, ATTN_ALIGNMENT);
    attn_context context = {weights, executor, arena.data(), bytes};
    std::vector<float> x = input(), y(x.size(), NAN);
    attn_tensor tensors[] = {{x.data(), {rows, dim}, ATTN_F32, 2}, {y.data(), {rows, dim}, ATTN_F32, 2}};
    attn_status status;
    EXPECT_EQ(attn_run(&loaded->model(), 0, &context, tensors, 2, &status), ATTN_OK) << status.message;
    return y;
  }

  static std::vector<float> input() {
    std::vector<float> x(rows * dim);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = std::sin(float(i));
    return x;
  }

  /// y <- y + y W + b (or W' where `transposed`), layer by layer, in double precision.
  std::vector<double> expected(const void *const *table) const {
    std::vector<float> x = input();
    std::vector<double> y(x.begin(), x.end());
    const attn_parameter_info *parameters = loaded->model().parameters;
    int64_t weight = parameters[0].rank == 2 ? 0 : 1;
    for (int64_t layer = 0; layer < layers; ++layer) {
      const float *w = static_cast<const float *>(table[parameters[weight].first + layer]);
      const float *b = static_cast<const float *>(table[parameters[1 - weight].first + layer]);
      std::vector<double> next = y;
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t to = 0; to < dim; ++to) {
          for (int64_t from = 0; from < dim; ++from)
            next[row * dim + to] += y[row * dim + from] * w[to * dim + from];
          next[row * dim + to] += b[to];
        }
      y = next;
    }
    return y;
  }

  void expectClose(const std::vector<float> &found, const std::vector<double> &wanted) {
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], wanted[i], 1e-4) << "at " << i;
  }

  Compilation made;
  std::optional<LoadedModel> loaded;
  attn_status status;
};

struct Weights {
  attn_weights *value = nullptr;
  ~Weights() { attn_weights_free(value); }
};

} // namespace

TEST_F(Pipeline, PackedWeightsComputeTheModel) {
  load();
  ASSERT_GT(loaded->model().packed_count, 0);
  Weights weights;
  ASSERT_EQ(attn_weights_initialise(&loaded->model(), 7, attn_serial_executor(), &weights.value, &status), ATTN_OK);
  expectClose(run(weights.value, attn_serial_executor()), expected(attn_weights_table(weights.value)));
}

TEST_F(Pipeline, ThreadsGiveTheSameBits) {
  load();
  Weights weights;
  ASSERT_EQ(attn_weights_initialise(&loaded->model(), 7, attn_serial_executor(), &weights.value, &status), ATTN_OK);
  std::vector<float> alone = run(weights.value, attn_serial_executor());
  for (int64_t workers : {2, 3, 5}) {
    attn_pool *pool;
    ASSERT_EQ(attn_pool_create(workers, &pool, &status), ATTN_OK);
    std::vector<float> together = run(weights.value, attn_pool_executor(pool));
    attn_pool_destroy(pool);
    EXPECT_EQ(memcmp(alone.data(), together.data(), alone.size() * sizeof(float)), 0) << workers << " workers";
  }
}

namespace {

/// A file of weights, loaded with and without the values that kernels read packed only.
class FileOfWeights : public Pipeline, public testing::WithParamInterface<Precision> {};
INSTANTIATE_TEST_SUITE_P(, FileOfWeights, testing::Values(Precision::F32, Precision::BF16));

} // namespace

TEST_P(FileOfWeights, IsPackedOneByOne) {
  CompileOptions options;
  options.precision = GetParam();
  load(options);
  std::string path = testing::TempDir() + "packed." + std::to_string(getpid()) + ".safetensors";
  const attn_model &model = loaded->model();
  Weights drawn, kept, packed;
  ASSERT_EQ(attn_weights_initialise(&model, 7, nullptr, &drawn.value, &status), ATTN_OK) << status.message;
  ASSERT_EQ(attn_weights_save(drawn.value, path.c_str(), 0, &status), ATTN_OK) << status.message;
  ASSERT_EQ(attn_weights_load(&model, path.c_str(), ATTN_KEEP_VALUES, nullptr, &kept.value, &status), ATTN_OK);
  ASSERT_EQ(attn_weights_load(&model, path.c_str(), 0, nullptr, &packed.value, &status), ATTN_OK) << status.message;
  unlink(path.c_str());
  ASSERT_GE(model.packed_count, layers);
  int64_t weight = model.parameters[0].rank == 2 ? 0 : 1;
  EXPECT_EQ(attn_weights_table(packed.value)[model.parameters[weight].first], nullptr) << "the weight is held twice";
  EXPECT_NE(attn_weights_table(kept.value)[model.parameters[weight].first], nullptr);
  for (int64_t number = 0; number < model.packed_count; ++number)
    for (attn_weights *each : {kept.value, packed.value})
      EXPECT_EQ(memcmp(attn_weights_table(each)[model.loaded_count + number],
                       attn_weights_table(drawn.value)[model.loaded_count + number], model.packed[number].bytes),
                0)
          << number;
  if (GetParam() == Precision::F32)
    expectClose(run(packed.value, attn_serial_executor()), expected(attn_weights_table(kept.value)));
}

TEST_F(Pipeline, EmbeddedWeightsNeedNoFile) {
  auto directory = std::filesystem::path(testing::TempDir()) / ("pipeline." + std::to_string(getpid()));
  std::filesystem::create_directories(directory);
  std::string path = (directory / "w.safetensors").string(), header = "{", data;
  for (int64_t layer = 0; layer < layers; ++layer)
    for (bool isWeight : {true, false}) {
      std::vector<float> values(isWeight ? dim * dim : dim);
      for (size_t i = 0; i < values.size(); ++i)
        values[i] = 0.05f * std::cos(float(i) * (isWeight ? 0.7f : 1.3f) + layer);
      header +=
          (header.size() > 1 ? ",\"blocks." : "\"blocks.") + std::to_string(layer) +
          (isWeight ? ".weight\":{\"dtype\":\"F32\",\"shape\":[64,64]" : ".bias\":{\"dtype\":\"F32\",\"shape\":[64]") +
          ",\"data_offsets\":[" + std::to_string(data.size()) + ",";
      data.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float));
      header += std::to_string(data.size()) + "]}";
    }
  header += "}";
  uint64_t length = header.size();
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<char *>(&length), 8) << header << data;
  CompileOptions options;
  options.weights = {path};
  load(options);
  std::filesystem::remove_all(directory);
  Weights weights;
  ASSERT_EQ(attn_weights_embedded(&loaded->model(), attn_serial_executor(), &weights.value, &status), ATTN_OK)
      << status.message;
  const void *const *table = attn_weights_table(weights.value);
  EXPECT_FLOAT_EQ(static_cast<const float *>(table[loaded->model().parameters[0].first])[0], 0.05f);
  expectClose(run(weights.value, attn_serial_executor()), expected(table));
}

namespace {

/// Expects the phases in order in the diagram of the page, each between `before` and `behind`.
void expectPicture(const char *page, const std::string &before, const std::string &behind) {
  std::ifstream file(std::string(ATTNC_SOURCE_ROOT "/") + page);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  size_t at = 0;
  for (const PhaseInfo &phase : phases()) {
    size_t next = text.find(before, at), begin = next + before.size();
    ASSERT_NE(next, std::string::npos) << page << " lacks " << phase.name.str();
    EXPECT_EQ(text.substr(begin, text.find(behind, begin) - begin), phase.name) << page;
    at = begin + phase.name.size();
  }
}

TEST(Phases, ThePicturesShowThemInOrder) {
  expectPicture("README.md", "─▶ ", " ");
  expectPicture("docs/architecture.md", " ─", "─▶");
}

//===---------------------------------------- some entry points -----------------------------------------------===//

/// Returns the names of the entry points compiled for calls of `entries`, and the number of parameters.
std::pair<std::vector<std::string>, size_t> compiledFor(const std::vector<std::string> &entries,
                                                        const std::string &schedule = "") {
  CompileOptions options;
  options.input = ATTNC_INPUTS "/several.attn";
  options.entries = entries;
  if (!schedule.empty())
    options.overrides.push_back(llvm::cantFail(parseOverride(schedule)));
  Compilation made;
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  EXPECT_EQ(compile(options, made, stream), Outcome::Done) << messages;
  std::vector<std::string> names;
  for (EntryPlan &plan : made.program.entries)
    names.push_back(plan.entry.getName().str());
  return {names, made.program.parameters.loaded.size()};
}

TEST(SomeEntries, AreAllThatIsCompiled) {
  size_t parameters = compiledFor({}).second;
  EXPECT_GT(parameters, 1u); // includes the optimizer's states
  for (std::string entry : {"apply", "loss", "train"})
    EXPECT_EQ(compiledFor({entry}), std::pair(std::vector{entry}, parameters)) << entry;
  std::vector<std::string> two = {"apply", "train"};
  EXPECT_EQ(compiledFor({"train", "apply"}), std::pair(two, parameters));
}

TEST(SomeEntries, AllAreCompiledWhereTheyAreNotKnown) {
  std::vector<std::string> all = {"apply", "loss", "train"};
  EXPECT_EQ(compiledFor({}).first, all);
  EXPECT_EQ(compiledFor({""}).first, all);
  EXPECT_EQ(compiledFor({"appply"}).first, all);
  EXPECT_EQ(compiledFor({"apply", "losss"}).first, all);
}

/// An override names kernels of the whole model, although no code is generated for kernels of other entry points.
TEST(SomeEntries, OthersStayUntilKernelsHaveNames) {
  EXPECT_EQ(compiledFor({"train"}, "apply_gemm_0.mc=8").first, std::vector<std::string>{"train"});
}

} // namespace

/// The first instruction of an entry point is replaced by one that no processor has.
TEST_F(Pipeline, CrashOfAnObjectNamesItsFunction) {
  load();
  auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(made.object.data(), made.object.size()), "")));
  for (const llvm::object::SymbolRef &symbol : file->symbols())
    if (llvm::cantFail(symbol.getName()) == "mlp_forward_run") {
      llvm::StringRef code = llvm::cantFail((*llvm::cantFail(symbol.getSection())).getContents());
      char *place = made.object.data() + (code.data() - made.object.data()) + llvm::cantFail(symbol.getValue());
      place[0] = 0x0F; // ud2
      place[1] = 0x0B;
    }
  auto object = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(made.object.data(), made.object.size()), "mlp.o");
  LoadedModel changed = llvm::cantFail(LoadedModel::fromObject(std::move(object)));
  auto call = [&] {
    installCrashHandler();
    changed.model().entries[0].run(nullptr);
  };
  EXPECT_EXIT(call(), testing::ExitedWithCode(2),
              "^attnc: error: the code of mlp.o crashed in `mlp_forward_run` \\(SIGILL\\)\n.*attnc verify");
}

TEST_F(Pipeline, ArenaTooSmallIsRefused) {
  load();
  Weights weights;
  ASSERT_EQ(attn_weights_initialise(&loaded->model(), 7, attn_serial_executor(), &weights.value, &status), ATTN_OK);
  int64_t dimension = rows, bytes = loaded->model().entries[0].arena_bytes(&dimension, 1);
  std::vector<float> x = input(), y(x.size());
  attn_tensor tensors[] = {{x.data(), {rows, dim}, ATTN_F32, 2}, {y.data(), {rows, dim}, ATTN_F32, 2}};
  GuardedBuffer arena(bytes, Placement::AgainstEnd, ATTN_ALIGNMENT);
  attn_context context = {weights.value, nullptr, arena.data(), bytes - 1};
  EXPECT_EQ(attn_run(&loaded->model(), 0, &context, tensors, 2, &status), ATTN_BAD_ARENA);
  context.arena = nullptr;
  EXPECT_EQ(attn_run(&loaded->model(), 0, &context, tensors, 2, &status), ATTN_BAD_ARENA);
}
