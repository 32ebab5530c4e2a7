// Interprets programs whose tensors between kernels need more than 16 bits: with conditioning, results are near the
// exact ones; without, they are far from them. Also tests the bounds of StorageBound.h.
#include "compiler/Narrow/Narrow.h"
#include "compiler/Pipeline/Compile.h"
#include "compiler/Reference/StorageBound.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <gtest/gtest.h>

namespace attnc {
namespace {

using reference::Array;
using reference::Element;
using reference::Interpretation;

struct Program {
  const char *entry;
  std::vector<Array> inputs;
  bool hasIllConditionedInputs = false;
};

/// Draws numbers of about normal distribution, the same in each run.
Array random(std::initializer_list<int64_t> shape, uint32_t seed, double size = 1) {
  Array array(Element::F32, llvm::ArrayRef<int64_t>(shape.begin(), shape.end()));
  uint32_t state = seed;
  for (double &value : array.values) {
    double sum = 0;
    for (int term = 0; term < 4; ++term) {
      state = state * 1664525u + 1013904223u;
      sum += double(state >> 8) / 0x1p24 - 0.5;
    }
    value = static_cast<float>(sum * 1.7 * size);
  }
  return array;
}

Array ascending(Element element, int64_t count, double step) {
  Array array(element, {count});
  for (int64_t k = 0; k < count; ++k)
    array.values[k] = double(k) * step;
  return array;
}

std::vector<Program> programs() {
  constexpr int64_t seq = 150;
  return {{"rotary", {random({seq, 8}, 1)}},
          {"sinusoids", {random({seq, 8}, 2, 0.1)}},
          {"frequencies", {random({seq, 8}, 3, 0.1)}},
          {"ids", {ascending(Element::I32, seq, 50), random({seq, 8}, 4, 0.1)}},
          {"times", {ascending(Element::F32, seq, 8.25)}, true},
          {"linear_biases", {random({400, 8}, 5)}},
          {"buckets", {random({2 * seq, 1}, 6), random({64, 8}, 7)}},
          {"choice", {random({3 * seq, 8}, 7), random({8, 64}, 8)}},
          {"steps", {random({seq, 8}, 9), random({8, 8}, 10)}},
          {"turned_sums", {random({seq, 8}, 11)}},
          {"relative", {random({seq, 8}, 12)}},
          {"turned_values", {random({seq, 8}, 13)}},
          {"multiplied", {random({seq, 8}, 14)}},
          {"looked_up", {random({seq}, 15), random({512}, 16)}},
          {"differences", {random({seq, 8}, 17)}}};
}

class Conditioning : public testing::TestWithParam<const char *> {
protected:
  mlir::FloatType element(mlir::MLIRContext &context) const {
    mlir::Builder builder(&context);
    return isBf16() ? mlir::FloatType(builder.getBF16Type()) : mlir::FloatType(builder.getF16Type());
  }
  bool isBf16() const { return std::string(GetParam()) == "bf16"; }
  double roundoff() const { return isBf16() ? 0x1p-8 : 0x1p-11; }

  /// Returns the entry point after the fuse phase, or after narrowing if `usesConditioning` is given.
  mlir::func::FuncOp compiled(Compilation &compilation, const char *entry, std::optional<bool> usesConditioning) {
    CompileOptions options;
    options.input = ATTNC_INPUTS "/positions.attn";
    options.entries = {entry};
    options.dump = Phase::Fuse;
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    EXPECT_EQ(compile(options, compilation, stream), Outcome::Done) << messages;
    if (usesConditioning)
      narrowStorage(
          *compilation.module, element(compilation.context), [](mlir::func::FuncOp) { return Verdict::yes(); },
          *usesConditioning);
    return compilation.module->lookupSymbol<mlir::func::FuncOp>(entry);
  }

  static Array run(const Interpretation &call) {
    auto results = call.run();
    EXPECT_TRUE(bool(results)) << llvm::toString(results.takeError());
    return results ? results->front() : Array();
  }

  static double difference(const Array &a, const Array &b) {
    double largest = 0;
    for (auto [x, y] : llvm::zip(a.values, b.values))
      largest = std::max(largest, std::fabs(x - y));
    return largest;
  }

  struct Outcomes {
    double largest = 0;            ///< magnitude of the exact result
    double with = 0, without = 0;  ///< distances from it, with and without conditioning analysis
    double bound = 0, changes = 0; ///< the bounds of StorageBound.h
    size_t changedWith = 0, changedWithout = 0;
  };

  Outcomes outcomesOf(const Program &program) {
    Compilation plain, with, without;
    Interpretation exact{compiled(plain, program.entry, std::nullopt), program.inputs, {}};
    Interpretation stored{compiled(with, program.entry, true), program.inputs, {}};
    Interpretation all{compiled(without, program.entry, false), program.inputs, {}};
    Array result = run(exact), withAnalysis = run(stored), withoutAnalysis = run(all);
    Outcomes found;
    for (double value : result.values)
      found.largest = std::max(found.largest, std::fabs(value));
    found.with = difference(result, withAnalysis);
    found.without = difference(result, withoutAnalysis);
    for (size_t k = 0; k < result.values.size(); ++k) {
      found.changedWith += result.values[k] != withAnalysis.values[k];
      found.changedWithout += result.values[k] != withoutAnalysis.values[k];
    }
    auto bounds = storageBounds(exact, {result}, roundoff());
    EXPECT_TRUE(bool(bounds));
    found.bound = bounds->front();
    if (result.element == Element::F32)
      return found;
    auto changes = changesByStorage(exact, {result}, roundoff());
    EXPECT_TRUE(bool(changes));
    found.changes = double(changes->front());
    return found;
  }
};

TEST_P(Conditioning, KeepsResultsNearTheExactOnes) {
  for (const Program &program : programs()) {
    SCOPED_TRACE(program.entry);
    Outcomes found = outcomesOf(program);
    if (std::string(program.entry) == "choice") {
      EXPECT_EQ(found.changedWith, 0u);
      EXPECT_LE(double(found.changedWithout), found.changes); // near ties, which equally inexact data change too
      if (isBf16()) {
        EXPECT_GT(found.changedWithout, 0u);
      }
      continue;
    }
    EXPECT_LE(found.with, 4 * roundoff() * std::max(found.largest, 1.0));
    EXPECT_LE(found.with, found.bound);
    EXPECT_GT(found.without, 4 * found.with + roundoff());
    if (isBf16() && !program.hasIllConditionedInputs) { // nor do the bounds include the rounding of a position
      EXPECT_GT(found.without, found.bound);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Conditioning, testing::Values("bf16", "f16"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
} // namespace attnc
