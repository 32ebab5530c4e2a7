// Compares compiled steps with the compiled function that they are derived from: rows of different lengths are
// prefilled, stepped, truncated and stepped again, over caches that are NaN except where positions were appended;
// chunks exceed the rings, and fill the capacity. Paged caches take blocks in any order, and only when rows grow.
#include "tests/e2e/CompiledModel.h"
#include "tests/e2e/Subject.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace attnc::e2e {
namespace {

using reference::Array;
using reference::Element;

constexpr int64_t rows = 2, total = 30, sourceRows = 5, capacity = 33, rowBlocks = 9, blocks = 23;

struct Pair {
  const char *whole, *step, *file = "incremental.attn";
  uint64_t vocab = 61; ///< of `file`
  int64_t block = 0;   ///< positions of a block of paged caches; 0 if they are not paged
};

void PrintTo(const Pair &pair, std::ostream *stream) { *stream << pair.step; }

class Steps : public testing::TestWithParam<Pair> {
protected:
  void SetUp() override {
    ASSERT_TRUE(model()) << model().message();
    Random random(GetParam().step);
    tokens = Array(Element::I32, {rows, total});
    source = Array(Element::I32, {rows, sourceRows});
    for (Array *each : {&tokens, &source})
      for (double &value : each->values)
        value = static_cast<double>(random.below(GetParam().vocab));
    whole = call(GetParam().whole, 0, {{"tokens", tokens}, {"source", source}}).front();
    std::string step = GetParam().step;
    if (const attn_entry_info *begin = model().entry(step + "_begin")) {
      std::vector<Array> results = call(step + "_begin", 0, {{"source", source}});
      for (int32_t number = 0; number < begin->result_count; ++number)
        given[begin->tensors[begin->input_count + number].name] = results[number];
      given["source"] = source; // which some steps read, too
    }
    kept = given;
  }

  /// Returns the results, followed by the states.
  std::vector<Array> call(const std::string &name, int64_t seq, std::map<std::string, Array> inputs) {
    const attn_entry_info &entry = *model().entry(name);
    Dimensions sizes = {{"batch", rows},
                        {"n", sourceRows},
                        {"capacity", capacity},
                        {"seq", seq ? seq : total},
                        {"row_blocks", rowBlocksHere()},
                        {"blocks", blocks}};
    std::vector<int64_t> dimensions;
    for (int32_t number = 0; number < entry.dimension_count; ++number)
      dimensions.push_back(sizes.at(entry.dimensions[number].name));
    std::vector<Array> arguments;
    for (int32_t number = 0; number < entry.input_count; ++number) {
      const attn_tensor_info &tensor = entry.tensors[number];
      double poison = tensor.dtype == ATTN_F32 ? std::numeric_limits<double>::quiet_NaN() : 1 << 30;
      auto found = inputs.find(tensor.name);
      if (found == inputs.end() && number < entry.input_count - entry.state_count)
        ADD_FAILURE() << name << " reads " << tensor.name;
      Element element = tensor.dtype == ATTN_F32 ? Element::F32 : Element::I32;
      arguments.push_back(found != inputs.end() ? found->second : Array(element, shapeOf(tensor, dimensions), poison));
    }
    CallResults found = model().call(entry, arguments, dimensions, {2});
    EXPECT_EQ(found.status, ATTN_OK);
    std::vector<Array> results;
    for (auto [number, bytes] : llvm::enumerate(found.bytes)) {
      const attn_tensor_info &tensor = resultInfo(entry, number);
      bool isReal = tensor.dtype == ATTN_F32;
      Array &result = results.emplace_back(isReal ? Element::F32 : Element::I32, shapeOf(tensor, dimensions));
      for (size_t place = 0; place < result.values.size(); ++place)
        result.values[place] = elementAt(bytes, tensor.dtype, place);
    }
    return results;
  }

  /// As many as the bound of `seq` permits.
  static int64_t rowBlocksHere() { return GetParam().block ? std::min<int64_t>(rowBlocks, 48 / GetParam().block) : 0; }

  /// A table with blocks for the first `lengths[b]` positions of each row b; other entries are no blocks.
  Array tableFor(const std::vector<double> &lengths) const {
    Array table(Element::I32, {rows, rowBlocksHere()}, blocks);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t entry = 0; double(entry * GetParam().block) < lengths[row]; ++entry)
        table.values[row * rowBlocksHere() + entry] =
            double((entry < sharedBlocks ? 5 * entry : 5 * (row * rowBlocks + entry)) % blocks);
    return table;
  }

  /// Computes positions from[b] .. from[b] + count - 1 of each row b and compares them with the whole function. An
  /// entry point with rings keeps and computes only `keptOfCall[b]` of them; an empty vector means all.
  void expect(const std::string &name, std::vector<double> from, int64_t count, std::vector<double> keptOfCall = {}) {
    const attn_entry_info &entry = *model().entry(name);
    Array chunk(Element::I32, {rows, count});
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < count; ++i)
        chunk.values[row * count + i] = tokens.at({row, int64_t(from[row]) + i});
    std::map<std::string, Array> inputs = kept;
    inputs["tokens"] = chunk;
    inputs["length"] = Array(Element::I32, {rows}, from);
    if (keptOfCall.empty())
      keptOfCall = {double(count), double(count)};
    inputs["count"] = Array(Element::I32, {rows}, keptOfCall);
    if (GetParam().block)
      inputs["table"] = tableFor({from[0] + keptOfCall[0], from[1] + keptOfCall[1]});
    std::vector<Array> results = call(name, count, inputs);
    for (int32_t number = 0; number < entry.state_count; ++number)
      kept[resultInfo(entry, entry.result_count + number).name] = results[entry.result_count + number];
    int64_t features = whole.shape[2];
    ASSERT_EQ(results[0].shape, (llvm::SmallVector<int64_t>{rows, count, features}));
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < (hasCount(entry) ? int64_t(keptOfCall[row]) : count); ++i)
        for (int64_t feature = 0; feature < features; ++feature)
          ASSERT_NEAR(results[0].at({row, i, feature}), whole.at({row, int64_t(from[row]) + i, feature}), 1e-5)
              << name << ", row " << row << ", position " << from[row] + double(i);
  }

  static bool hasCount(const attn_entry_info &entry) { return entry.take_back > 0 || GetParam().block > 0; }

  int64_t sharedBlocks = 0; ///< the first blocks of each row are those of the first row
  Array tokens, source, whole;
  std::map<std::string, Array> kept, given;

  static const CompiledModel &model() { return compiledModel(GetParam().file); }
};

TEST_P(Steps, AgreeWithTheWhole) {
  std::string step = GetParam().step;
  expect(step + "_prefill", {0, 0}, 20, {20, 11});
  expect(step, {20, 11}, 1); // without rings, the second row is truncated by nine positions
  expect(step, {21, 12}, 1);
  expect(step + "_prefill", {22, 13}, 5);
  for (double position = 0; position < 3; ++position)
    expect(step, {27 + position, 18 + position}, 1);
  bool hasRings = model().entry(step)->take_back > 0;
  expect(step + "_prefill", {0, hasRings ? 20.0 : 3.0}, 1);
}

TEST_P(Steps, InChunksOfAnySize) {
  std::string prefill = GetParam().step + std::string("_prefill");
  for (int64_t size : {1, 2, 3, 5, 6, 7, 12, 30}) {
    for (double from = 0; from + double(size) <= total; from += double(size))
      expect(prefill, {from, from}, size);
    kept = given;
  }
}

TEST_P(Steps, TakeBackOnePosition) {
  std::string step = GetParam().step;
  expect(step + "_prefill", {0, 0}, 17, {17, 9});
  for (double position = 0; position < 10; ++position) {
    expect(step, {17 + position, 9 + position}, 1);
    expect(step, {17 + position, 9 + position}, 1);
  }
  expect(step + "_prefill", {26, 18}, 3, {1, 0});
  expect(step, {27, 18}, 1);
}

class PagedSteps : public Steps {};

TEST_P(PagedSteps, RowsShareBlocks) {
  int64_t shared = 2 * GetParam().block;
  sharedBlocks = 2;
  for (int64_t i = 0; i < shared; ++i)
    tokens.values[total + i] = tokens.values[i];
  whole = call(GetParam().whole, 0, {{"tokens", tokens}}).front();
  std::string step = GetParam().step, prefill = step + "_prefill";
  double prefix = double(shared);
  expect(prefill, {0, 0}, shared, {prefix, 0}); // the second row reads the blocks that the first row has written
  expect(prefill, {prefix, prefix}, 5, {5, 3});
  expect(step, {prefix + 5, prefix + 3}, 1);
}

TEST_P(PagedSteps, BitsAreThoseOfContiguousCaches) {
  Array chunk(Element::I32, {rows, 20}), count(Element::I32, {rows}, 20), next(Element::I32, {rows, 1}, 7);
  for (size_t i = 0; i < chunk.values.size(); ++i)
    chunk.values[i] = tokens.values[i];
  Array none(Element::I32, {rows}), length(Element::I32, {rows}, 20), table = tableFor({21, 21});
  auto resultsOf = [&](const std::string &name) {
    std::vector<Array> first =
        call(name + "_prefill", 20, {{"tokens", chunk}, {"length", none}, {"count", count}, {"table", table}});
    std::map<std::string, Array> inputs = {{"tokens", next}, {"length", length}, {"table", table}};
    const attn_entry_info &entry = *model().entry(name + "_prefill");
    for (int32_t number = 0; number < entry.state_count; ++number)
      inputs[resultInfo(entry, entry.result_count + number).name] = first[entry.result_count + number];
    return std::pair(first[0].values, call(name, 1, inputs)[0].values);
  };
  EXPECT_EQ(resultsOf(GetParam().step), resultsOf("next"));
}

INSTANTIATE_TEST_SUITE_P(Models, PagedSteps, testing::Values(Pair{"logits", "paged", "incremental.attn", 61, 4}),
                         [](const auto &info) { return info.param.step; });

INSTANTIATE_TEST_SUITE_P(Models, Steps,
                         testing::Values(Pair{"logits", "next"}, Pair{"windows", "local"},
                                         Pair{"translated", "translate"}, Pair{"averaged", "average"},
                                         Pair{"shifted", "shift"}, Pair{"picked", "pick"}, Pair{"compact", "compacted"},
                                         Pair{"layered", "layer"}, Pair{"logits", "paged", "incremental.attn", 61, 4},
                                         Pair{"windows", "paged_local", "incremental.attn", 61, 8},
                                         Pair{"picked", "paged_pick", "incremental.attn", 61, 4},
                                         Pair{"linear", "step", "recurrent.attn", 13},
                                         Pair{"translated", "translate", "recurrent.attn", 13}),
                         [](const auto &info) {
                           llvm::StringRef file = llvm::StringRef(info.param.file).drop_back(strlen(".attn"));
                           return (file + "_" + info.param.step).str();
                         });

} // namespace
} // namespace attnc::e2e
