// Compares incremental entry points with the function that they are derived from. The oracle interprets both.
#pragma once

#include "compiler/Derive/Derive.h"
#include "compiler/Derive/Incremental/Decode.h"
#include "mlir/Pass/PassManager.h"
#include "tests/frontends/attn/Import/Imported.h"
#include <random>

namespace attnc {

/// A program that exports `f` and `next = incremental(f, along: seq)`, with random parameters, after the phase derive.
class Stepped {
public:
  /// Imports and derives the program `text`, with a resumed loop of the sampler `resumed` if the name is not empty, and
  /// with an entry point that verifies `drafts` tokens if there are any; `derived` is whether all succeeded.
  explicit Stepped(const std::string &text, const std::string &resumed = "", int64_t drafts = 0) : imported(text) {
    if (!imported.module || (!resumed.empty() && !addResumedSampler(*imported.module, resumed)))
      return;
    if (drafts > 0) {
      allowTruncation(*imported.module, resumed, drafts);
      if (failed(addVerification(*imported.module, resumed)))
        return;
    }
    for (auto parameter : imported.module->getOps<mlir::model::ParameterOp>())
      addParameter(parameter);
    mlir::PassManager passes(imported.context.get());
    buildDerivePipeline(passes);
    derived = succeeded(passes.run(*imported.module));
  }

  /// The entry point with this name; null if there is none.
  mlir::func::FuncOp function(llvm::StringRef name) { return imported.module->lookupSymbol<mlir::func::FuncOp>(name); }
  /// An array of standard normal numbers for f32, otherwise of integers from 0 to `below` - 1.
  Array random(Element element, llvm::ArrayRef<int64_t> shape, int64_t below = 0) {
    Array array(element, shape);
    for (double &value : array.values)
      value = element == Element::F32 ? std::normal_distribution<double>()(engine)
                                      : double(std::uniform_int_distribution<int64_t>(0, below - 1)(engine));
    return array;
  }
  /// Interprets an entry point; a failure fails the test and returns no results.
  std::vector<Array> call(llvm::StringRef name, llvm::ArrayRef<Array> inputs) {
    auto results = interpret(function(name), inputs, parameters);
    EXPECT_TRUE(bool(results)) << (results ? "" : llvm::toString(results.takeError()));
    return results ? *results : std::vector<Array>();
  }

  bool derived = false;
  Parameters parameters; ///< by checkpoint name

private:
  void addParameter(mlir::model::ParameterOp parameter) {
    auto type = mlir::cast<mlir::RankedTensorType>(parameter.getType());
    auto visit = [&](llvm::ArrayRef<int64_t> index) {
      parameters[parameter.getCheckpointName(index)] = random(Element::F32, type.getShape());
      return mlir::success();
    };
    (void)forEachIndex(parameter.getCounts(), visit);
  }

  Imported imported;
  std::mt19937 engine{11};
};

/// Returns positions `from` .. `from` + `count` - 1 of dimension `dim`.
inline Array slice(const Array &whole, int64_t dim, int64_t from, int64_t count) {
  llvm::SmallVector<int64_t> shape(whole.shape);
  shape[dim] = count;
  Array part(whole.element, shape);
  auto next = part.values.begin();
  auto copy = [&](llvm::ArrayRef<int64_t> at) {
    llvm::SmallVector<int64_t> source(at);
    source[dim] += from;
    *next++ = whole.at(source);
    return mlir::success();
  };
  (void)forEachIndex(shape, copy);
  return part;
}

/// Asserts that both arrays have the same shape, and elements that differ by at most 1e-9. `what` is for messages.
inline void expectNear(const Array &found, const Array &expected, const std::string &what) {
  ASSERT_EQ(found.shape, expected.shape) << what;
  for (size_t n = 0; n < found.values.size(); ++n)
    ASSERT_NEAR(found.values[n], expected.values[n], 1e-9) << what << ", element " << n;
}

/// Computes all positions of `f` for two rows of tokens i32[batch, seq] of different lengths by the incremental entry
/// points, in chunks of several positions and in single steps. Caches are NaN where no position was written.
class Decoding {
public:
  /// Draws the tokens, below `vocab`, and computes `f` on them. `others` are the inputs of `f` before its tokens.
  Decoding(Stepped &program, int64_t vocab, std::vector<Array> others = {}) : program(program) {
    tokens = program.random(Element::I32, {2, total}, vocab);
    std::vector<Array> inputs = others;
    inputs.push_back(tokens);
    whole = program.call("f", inputs).front();
    for (mlir::BlockArgument argument : program.function("next").getArguments()) {
      mlir::StringAttr name = nameOf(program.function("next"), argument.getArgNumber());
      if (name == "tokens")
        break;
      for (size_t other = 0; other < others.size(); ++other)
        if (nameOf(program.function("f"), other) == name)
          before.push_back(others[other]);
    }
    if (auto begin = program.function("next_begin"))
      given = program.call("next_begin", others);
    auto next = program.function("next");
    for (mlir::BlockArgument argument : next.getArguments())
      if (next.getArgAttr(argument.getArgNumber(), mlir::model::stateAttrName)) {
        llvm::SmallVector<int64_t> shape;
        for (auto [dim, size] : llvm::enumerate(
                 next.getArgAttrOfType<mlir::ArrayAttr>(argument.getArgNumber(), mlir::model::shapeAttrName))) {
          llvm::StringRef name = mlir::cast<mlir::StringAttr>(size).getValue();
          int64_t number = name == "batch" ? 2 : capacity; // or the length of a ring
          name.getAsInteger(10, number);
          shape.push_back(number);
        }
        auto type = mlir::cast<mlir::RankedTensorType>(argument.getType()).getElementType();
        caches.emplace_back(*elementOf(type), shape, type.isF32() ? notANumber : 0);
      }
  }

  /// Calls the incremental entry point `entry` with the positions from[b] to from[b] + count - 1 of each row b, and
  /// expects the results of `f` at these positions. Keeps the updated caches. `keptOfCall` has the number of these
  /// positions that belong to each row, if `entry` has such an input; empty: all.
  void expect(const std::string &entry, std::vector<double> from, int64_t count, std::vector<double> keptOfCall = {}) {
    Array chunk(Element::I32, {2, count});
    for (int64_t row = 0; row < 2; ++row)
      for (int64_t i = 0; i < count; ++i)
        chunk.values[row * count + i] = tokens.at({row, int64_t(from[row]) + i});
    std::vector<Array> inputs = before;
    inputs.push_back(chunk);
    inputs.push_back(integers({2}, from));
    bool hasCount = program.function(entry)->hasAttr(mlir::model::takeBackAttrName) && entry == "next_prefill";
    if (keptOfCall.empty())
      keptOfCall = {double(count), double(count)};
    if (hasCount)
      inputs.push_back(integers({2}, keptOfCall));
    inputs.insert(inputs.end(), given.begin(), given.end());
    inputs.insert(inputs.end(), caches.begin(), caches.end());
    std::vector<Array> results = program.call(entry, inputs);
    ASSERT_EQ(results.size(), 1 + caches.size());
    for (int64_t row = 0; row < 2; ++row) {
      int64_t known = hasCount ? int64_t(keptOfCall[row]) : count;
      expectNear(slice(slice(results[0], 0, row, 1), 1, 0, known),
                 slice(slice(whole, 0, row, 1), 1, int64_t(from[row]), known),
                 entry + " from " + std::to_string(from[row]));
    }
    caches.assign(results.begin() + 1, results.end());
  }

  /// Covers all positions by calls of `next_prefill` and `next`.
  void expectAll() {
    expect("next_prefill", {0, 0}, 5, {5, 2});
    // Without rings, the second row is truncated by three positions.
    expect("next_prefill", {5, 2}, 2);
    expect("next", {7, 4}, 1);
    expect("next", {8, 5}, 1);
    expect("next_prefill", {9, 6}, 3);
  }

  static constexpr int64_t total = 12, capacity = 14; ///< positions of a row of tokens; of a cache
  Stepped &program;
  Array tokens, whole; ///< i32[2, total]; the result of `f`
  /// The arguments of `next` before its tokens, the results of `next_begin`, and the states.
  std::vector<Array> before, given, caches;

private:
  static mlir::StringAttr nameOf(mlir::func::FuncOp function, unsigned argument) {
    return function.getArgAttrOfType<mlir::StringAttr>(argument, mlir::model::nameAttrName);
  }
};

/// The start of a model with an embedding of tokens, to which tests append fields and functions.
inline constexpr const char *embedded = R"(use nn
model M(vocab = 11, context = 16, layers = 2, heads = 2, dim = 8) {
  token: nn.Embedding(vocab, dim)
)";

} // namespace attnc
