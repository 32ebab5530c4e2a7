// Tests raising of attention from tensor code: each program of spellings/ becomes attention with the same numbers; each
// of near-misses/ stays, and its `// EXPECT` line is the recorded reason; those of others/ stay.
#include "compiler/Analysis/Decisions.h"
#include "compiler/Pipeline/Compile.h"
#include "compiler/Reference/Reference.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace attnc;
using reference::Array;
using reference::Element;

namespace {

std::vector<std::string> programsIn(const std::string &folder) {
  std::vector<std::string> files;
  std::error_code error;
  llvm::sys::fs::directory_iterator file(ATTNC_INPUTS "/" + folder, error), end;
  for (; file != end && !error; file.increment(error))
    files.push_back(file->path());
  std::sort(files.begin(), files.end());
  return files;
}

std::unique_ptr<Compilation> compiledTo(Phase phase, const std::string &path, bool requireFused = false) {
  auto made = std::make_unique<Compilation>();
  CompileOptions options;
  options.input = path;
  options.dump = phase;
  options.requireFused = requireFused;
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  EXPECT_EQ(compile(options, *made, stream), Outcome::Done) << messages;
  return made;
}

template <typename Op> int64_t countOf(mlir::ModuleOp module) {
  int64_t count = 0;
  module.walk([&](Op) { ++count; });
  return count;
}

/// Returns numbers of [-1, 1]; flags, some of which are set in every row; or lengths of 1 and 2.
Array inputOf(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> shape, std::mt19937 &generator) {
  Element element = *reference::elementOf(type);
  Array array(element, shape);
  std::uniform_real_distribution<double> real(-1, 1);
  for (auto [place, value] : llvm::enumerate(array.values))
    value = element == Element::F32 ? real(generator) : element == Element::I1 ? place % 3 != 1 : 1 + place % 2;
  return array;
}

std::vector<Array> inputsOf(mlir::func::FuncOp entry, std::map<std::string, int64_t> sizes) {
  std::mt19937 generator(5);
  std::vector<Array> inputs;
  for (mlir::BlockArgument argument : entry.getArguments()) {
    auto type = mlir::cast<mlir::RankedTensorType>(argument.getType());
    auto names = entry.getArgAttrOfType<mlir::ArrayAttr>(argument.getArgNumber(), "model.shape");
    llvm::SmallVector<int64_t> shape(type.getShape());
    for (auto [dim, size] : llvm::enumerate(shape))
      if (mlir::ShapedType::isDynamic(size))
        size = sizes.at(mlir::cast<mlir::StringAttr>(names[dim]).str());
    inputs.push_back(inputOf(type, shape, generator));
  }
  return inputs;
}

std::vector<Array> resultsOf(Compilation &made, std::map<std::string, int64_t> sizes) {
  auto entry = made.module->lookupSymbol<mlir::func::FuncOp>("f");
  auto results = reference::interpret(entry, inputsOf(entry, sizes), {});
  if (results)
    return *results;
  ADD_FAILURE() << llvm::toString(results.takeError());
  return {};
}

std::string nameOf(const testing::TestParamInfo<std::string> &info) { return llvm::sys::path::stem(info.param).str(); }

class Spelling : public testing::TestWithParam<std::string> {};

TEST_P(Spelling, IsOneAttention) {
  auto raised = compiledTo(Phase::Raise, GetParam());
  EXPECT_EQ(countOf<mlir::attn::AttendOp>(*raised->module), 1);
  EXPECT_EQ(countOf<mlir::math::ExpOp>(*raised->module), 0);
}

TEST_P(Spelling, HoldsNoPairs) {
  auto fused = compiledTo(Phase::Fuse, GetParam(), /*requireFused=*/true);
  EXPECT_EQ(countOf<mlir::attn::AttendOp>(*fused->module), 1);
  for (const Decision &decision : recordedDecisions(*fused->module))
    EXPECT_EQ(decision.bytes.find("*n*m"), std::string::npos) << decision.what << " keeps " << decision.bytes;
}

TEST_P(Spelling, MeansTheSame) {
  auto plain = compiledTo(Phase::Import, GetParam()), raised = compiledTo(Phase::Raise, GetParam());
  for (std::map<std::string, int64_t> sizes :
       {std::map<std::string, int64_t>{{"b", 2}, {"h", 3}, {"n", 5}, {"m", 7}, {"d", 4}},
        {{"b", 1}, {"h", 1}, {"n", 1}, {"m", 2}, {"d", 3}}}) {
    std::vector<Array> expected = resultsOf(*plain, sizes), found = resultsOf(*raised, sizes);
    ASSERT_EQ(found.size(), expected.size());
    for (auto [a, b] : llvm::zip(found, expected)) {
      ASSERT_EQ(a.shape, b.shape);
      for (auto [x, y] : llvm::zip(a.values, b.values))
        ASSERT_NEAR(x, y, 1e-9 * (1 + std::abs(y)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Raise, Spelling, testing::ValuesIn(programsIn("spellings")), nameOf);

class NearMiss : public testing::TestWithParam<std::string> {};

TEST_P(NearMiss, IsExplained) {
  auto raised = compiledTo(Phase::Raise, GetParam());
  EXPECT_EQ(countOf<mlir::attn::AttendOp>(*raised->module), 0);
  auto text = llvm::MemoryBuffer::getFile(GetParam());
  ASSERT_TRUE(text);
  llvm::StringRef expected = (*text)->getBuffer().split('\n').first;
  ASSERT_TRUE(expected.consume_front("// EXPECT ")) << expected.str();
  std::vector<Decision> decisions = recordedDecisions(*raised->module);
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_FALSE(decisions[0].isMade);
  EXPECT_EQ(reasonId(decisions[0].reason), expected);
}

/// The quotient does not divide exponentials alone.
TEST(Raise, LeavesADivisionOfBothArmsOfAChoice) {
  auto raised = compiledTo(Phase::Raise, ATTNC_INPUTS "/others/one_arm_divided.attn");
  EXPECT_EQ(countOf<mlir::attn::AttendOp>(*raised->module), 0);
}

/// A formula is analysed once per node, however often the node is used.
TEST(Raise, IsQuickAboutFormulasThatUseTheirPartsTwice) {
  auto raised = compiledTo(Phase::Raise, ATTNC_INPUTS "/others/squares_of_squares.attn");
  EXPECT_EQ(countOf<mlir::attn::AttendOp>(*raised->module), 0);
}

INSTANTIATE_TEST_SUITE_P(Raise, NearMiss, testing::ValuesIn(programsIn("near-misses")), nameOf);

} // namespace
