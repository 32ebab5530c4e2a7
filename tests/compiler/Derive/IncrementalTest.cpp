// Compares incremental entry points with the function that they are derived from, on the double-precision oracle.
#include "compiler/Derive/Derive.h"
#include "compiler/Derive/Incremental/PositionAnalysis.h"
#include "mlir/Pass/PassManager.h"
#include "tests/frontends/attn/Import/Imported.h"
#include <random>

using namespace attnc;

namespace {

/// A program that exports `f` and `next = incremental(f, along: seq)`.
class Stepped {
public:
  explicit Stepped(const std::string &text) : imported(text) {
    if (!imported.module)
      return;
    for (auto parameter : imported.module->getOps<mlir::model::ParameterOp>())
      addParameter(parameter);
    mlir::PassManager passes(imported.context.get());
    buildDerivePipeline(passes);
    derived = succeeded(passes.run(*imported.module));
  }

  mlir::func::FuncOp function(llvm::StringRef name) { return imported.module->lookupSymbol<mlir::func::FuncOp>(name); }
  Array random(Element element, llvm::ArrayRef<int64_t> shape, int64_t below = 0) {
    Array array(element, shape);
    for (double &value : array.values)
      value = element == Element::F32 ? std::normal_distribution<double>()(engine)
                                      : double(std::uniform_int_distribution<int64_t>(0, below - 1)(engine));
    return array;
  }
  std::vector<Array> call(llvm::StringRef name, llvm::ArrayRef<Array> inputs) {
    auto results = interpret(function(name), inputs, parameters);
    EXPECT_TRUE(bool(results)) << (results ? "" : llvm::toString(results.takeError()));
    return results ? *results : std::vector<Array>();
  }

  bool derived = false;
  Parameters parameters;

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
Array slice(const Array &whole, int64_t dim, int64_t from, int64_t count) {
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

void expectNear(const Array &found, const Array &expected, const std::string &what) {
  ASSERT_EQ(found.shape, expected.shape) << what;
  for (size_t n = 0; n < found.values.size(); ++n)
    ASSERT_NEAR(found.values[n], expected.values[n], 1e-9) << what << ", element " << n;
}

/// Computes all positions of f for two rows of tokens i32[batch, seq] of different lengths, in chunks and steps, over
/// caches that are NaN where no position was written.
class Decoding {
public:
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

  /// Expects the positions `from[b]` .. `from[b] + count - 1` of each row b from `entry`.
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

  void expectAll() {
    expect("next_prefill", {0, 0}, 5, {5, 2});
    // Without rings, the second row is truncated by three positions.
    expect("next_prefill", {5, 2}, 2);
    expect("next", {7, 4}, 1);
    expect("next", {8, 5}, 1);
    expect("next_prefill", {9, 6}, 3);
  }

  static constexpr int64_t total = 12, capacity = 14;
  Stepped &program;
  Array tokens, whole;
  /// The arguments of `next` before its tokens, the results of `next_begin`, and the states.
  std::vector<Array> before, given, caches;

private:
  static mlir::StringAttr nameOf(mlir::func::FuncOp function, unsigned argument) {
    return function.getArgAttrOfType<mlir::StringAttr>(argument, mlir::model::nameAttrName);
  }
};

const char *const embedded = R"(use nn
model M(vocab = 11, context = 16, layers = 2, heads = 2, dim = 8) {
  token: nn.Embedding(vocab, dim)
)";

} // namespace

TEST(Incremental, LearnedPositionsAndLayers) {
  Stepped program(std::string(embedded) + R"(
  position: nn.Positions(context, dim)
  blocks: [Block(dim, heads); layers]
  fn f(tokens: i32[batch, seq <= context]) -> f32[batch, seq, vocab] {
    var x = position(token(tokens))
    for block in blocks { x = block(x) }
    x @ token.table'
  }
}
module Block(dim, heads) {
  scale: nn.LayerNorm(dim)
  mix: nn.MultiHeadAttention(dim, heads)
  mlp: nn.Mlp(dim, 2 * dim)
  fn (x: f32[.., dim]) -> f32[.., dim] { let y = x + mix(scale(x))
    y + mlp(y) }
}
export f
export next = incremental(f, along: seq)
)");
  ASSERT_TRUE(program.derived);
  Decoding(program, 11).expectAll();
}

TEST(Incremental, GatheredPositions) {
  Stepped program(std::string(embedded) + R"(
  position: nn.Embedding(context, dim)
  mix: nn.MultiHeadAttention(dim, heads)
  fn f(tokens: i32[batch, seq <= context]) -> f32[batch, seq, dim] {
    mix(token(tokens) + position(iota(seq)))
  }
}
export f
export next = incremental(f, along: seq)
)");
  ASSERT_TRUE(program.derived);
  Decoding(program, 11).expectAll();
}

TEST(Incremental, RotaryPositionsAndGroupedHeads) {
  Stepped program(std::string(embedded) + R"(
  mix: nn.GroupedQueryAttention(dim, 4, 2, 4, 10000.0)
  fn f(tokens: i32[batch, seq <= context]) -> f32[batch, seq, dim] { mix(token(tokens)) }
}
export f
export next = incremental(f, along: seq)
)");
  ASSERT_TRUE(program.derived);
  Decoding(program, 11).expectAll();
}

TEST(Incremental, WindowsAndLinearBiases) {
  Stepped program(std::string(embedded) + R"(
  fn f(tokens: i32[batch, seq <= context]) -> f32[batch, seq, dim] {
    let x = token(tokens)
    let slopes = alibi_slopes(heads)
    let (q, k, v) = split_heads(concat(x, x, x), 3, heads)
    let y = [b, h, i] => attend j {
      score: dot(q[b, h, i], k[b, h, j]) - slopes[h] * (i - j),
      mask:  j <= i and i - j < 4,
      value: v[b, h, j],
    }
    merge_heads(y)
  }
}
export f
export next = incremental(f, along: seq)
)");
  ASSERT_TRUE(program.derived);
  Decoding(program, 11).expectAll();
}

TEST(Incremental, EarlierPositionsInFormulas) {
  Stepped program(std::string(embedded) + R"(
  fn f(tokens: i32[batch, seq <= context]) -> f32[batch, seq, dim] {
    let x = token(tokens)
    [b, s, d] => x[b, s, d] + if s >= 2 then 2.0 * x[b, s - 2, d] else 1.0 * s
  }
}
export f
export next = incremental(f, along: seq)
)");
  ASSERT_TRUE(program.derived);
  Decoding(program, 11).expectAll();
}

TEST(Incremental, DocumentsInMasks) {
  Stepped program(std::string(embedded) + R"(
  fn f(tokens: i32[batch, seq <= context]) -> f32[batch, seq, dim] {
    let x = token(tokens)
    [b, i] => attend j {
      score: dot(x[b, i], x[b, j]),
      mask:  j <= i and tokens[b, i] % 2 == tokens[b, j] % 2,
      value: x[b, j],
    }
  }
}
export f
export next = incremental(f, along: seq)
)");
  ASSERT_TRUE(program.derived);
  Decoding(program, 11).expectAll();
}

TEST(Incremental, EncoderAndDecoder) {
  Stepped program(std::string(embedded) + R"(
  reads: [nn.MultiHeadAttention(dim, heads, false); layers]
  writes: [Cross(dim, heads); layers]
  fn f(source: i32[batch, n], tokens: i32[batch, seq <= context]) -> f32[batch, seq, dim] {
    var m = token(source)
    for read in reads { m = m + read(m) }
    var x = token(tokens)
    for write in writes { x = write(x, m) }
    x
  }
}
module Cross(dim, heads) {
  const head_dim = dim / heads
  self: nn.MultiHeadAttention(dim, heads)
  kv: nn.Linear(dim, 2 * dim)
  fn (x: f32[batch, seq, dim], m: f32[batch, n, dim]) -> f32[batch, seq, dim] {
    let y = x + self(x)
    let q = split_heads(y, 1, heads)[0]
    let (k, v) = split_heads(kv(m), 2, heads)
    y + merge_heads([b, h, i] => attend j {
      score: dot(q[b, h, i], k[b, h, j]),
      value: v[b, h, j],
    })
  }
}
export f
export next = incremental(f, along: seq)
)");
  ASSERT_TRUE(program.derived);
  Decoding decoding(program, 11, {program.random(Element::I32, {2, 3}, 11)});
  EXPECT_EQ(decoding.given.size(), 2u);
  decoding.expectAll();
}

TEST(Incremental, EncoderAndDecoderOfThePrelude) {
  for (const char *order : {"pre_norm: true", "pre_norm: false"}) {
    SCOPED_TRACE(order);
    std::string arguments = "(dim, heads, 2 * dim, drop: 0.1, " + std::string(order) + ")";
    Stepped program(std::string(embedded) + "  reads: [nn.TransformerEncoder" + arguments +
                    "; layers]\n  writes: [nn.TransformerDecoder" + arguments + R"(; layers]
  fn f(source: i32[batch, n], source_length: i32[batch], tokens: i32[batch, seq <= context]) -> f32[batch, seq, dim] {
    let kept = (b, i, j) => j < source_length[b]
    var m = token(source)
    for read in reads { m = read(m, kept) }
    var x = token(tokens)
    for write in writes { x = write(x, m, kept) }
    x
  }
}
export f
export next = incremental(f, along: seq)
)");
    ASSERT_TRUE(program.derived);
    Array source = program.random(Element::I32, {2, 3}, 11);
    Decoding decoding(program, 11, {source, integers({2}, {3, 1})});
    EXPECT_EQ(decoding.given.size(), 2u) << "the keys and values of the source";
    EXPECT_EQ(decoding.caches.size(), 2u) << "the keys and values of earlier positions";
    decoding.expectAll();
    // Tokens of the source behind its length are not read.
    Array whole = decoding.whole;
    source.values[4] = source.values[5] = 7;
    std::vector<Array> inputs = {source, integers({2}, {3, 1}), decoding.tokens};
    expectNear(program.call("f", inputs).front(), whole, "the padded source");
    source.values[3] = (int64_t(source.values[3]) + 1) % 11;
    inputs[0] = source;
    EXPECT_NE(program.call("f", inputs).front().values, whole.values);
  }
}

TEST(Incremental, TheLastPosition) {
  Stepped program(std::string(embedded) + R"(
  mix: nn.MultiHeadAttention(dim, heads)
  fn f(tokens: i32[batch, seq <= context]) -> f32[batch, vocab] {
    let x = mix(token(tokens))
    ([b] => x[b, seq - 1]) @ token.table'
  }
}
export f
export next = incremental(f, along: seq)
)");
  ASSERT_TRUE(program.derived);
  Array tokens = program.random(Element::I32, {1, 4}, 11);
  Array whole = program.call("f", {tokens}).front();
  Array cache(Element::F32, {1, 2, 4, 4}, notANumber);
  auto first = program.call("next_prefill", {slice(tokens, 1, 0, 3), integers({1}, {0}), cache, cache});
  ASSERT_EQ(first.size(), 3u);
  auto second = program.call("next", {slice(tokens, 1, 3, 1), integers({1}, {3}), first[1], first[2]});
  ASSERT_EQ(second.size(), 3u);
  expectNear(second[0], whole, "the last position");
}

TEST(Incremental, OneRowWithoutADimension) {
  Stepped program(R"(
fn f(x: f32[seq, d]) -> f32[seq, d] {
  [i] => attend j { score: dot(x[i], x[j]) + 0.5 * i, mask: j <= i, value: x[j] }
}
export f
export next = incremental(f, along: seq)
)");
  ASSERT_TRUE(program.derived);
  Array x = program.random(Element::F32, {6, 3});
  Array whole = program.call("f", {x}).front();
  Array cache(Element::F32, {8, 3}, notANumber);
  auto first = program.call("next_prefill", {slice(x, 0, 0, 5), Array::scalar(Element::I32, 0), cache});
  ASSERT_EQ(first.size(), 2u);
  expectNear(first[0], slice(whole, 0, 0, 5), "prefill");
  auto second = program.call("next", {slice(x, 0, 5, 1), Array::scalar(Element::I32, 5), first[1]});
  ASSERT_EQ(second.size(), 2u);
  expectNear(second[0], slice(whole, 0, 5, 1), "step");
}

TEST(Incremental, PositionsThatRowsShareAreOthersInEachRow) {
  Stepped program(R"(
fn f(x: f32[batch, seq, d], y: f32[seq, d]) -> f32[batch, seq, d] {
  [b, i] => attend j { score: dot(x[b, i], x[b, j]), mask: j <= i, value: x[b, j] + y[i] }
}
export f
export next = incremental(f, along: seq)
)");
  ASSERT_TRUE(program.derived);
  Array x = program.random(Element::F32, {2, 4, 3}), y = program.random(Element::F32, {4, 3});
  Array whole = program.call("f", {x, y}).front();
  auto rows = [](const Array &of, int64_t first, int64_t second) {
    Array both(Element::F32, {2, 1, 3});
    for (int64_t d = 0; d < 3; ++d) {
      both.values[d] = of.shape.size() == 3 ? of.at({0, first, d}) : of.at({first, d});
      both.values[3 + d] = of.shape.size() == 3 ? of.at({1, second, d}) : of.at({second, d});
    }
    return both;
  };
  std::vector<Array> caches = {Array(Element::F32, {2, 4, 3}, notANumber)};
  auto expect = [&](int64_t first, int64_t second) {
    std::vector<Array> inputs = {rows(x, first, second), rows(y, first, second),
                                 integers({2}, {double(first), double(second)})};
    inputs.insert(inputs.end(), caches.begin(), caches.end());
    auto results = program.call("next", inputs);
    ASSERT_EQ(results.size(), 2u);
    expectNear(results[0], rows(whole, first, second), "next");
    caches = {results[1]};
  };
  expect(0, 0);
  expect(1, 0);
  expect(2, 1);
  expect(3, 2);
}

//===-------------------------------------------- scans -------------------------------------------------------===//

namespace {

/// A model of a scan over tokens; `body` computes f from `x`, their embeddings f32[batch, seq, dim].
std::string recurrent(const std::string &body, const std::string &result = "f32[batch, seq, dim]") {
  return std::string(embedded) + R"(
  of_x: nn.Linear(dim, dim)
  of_h: nn.Linear(dim, dim)
  rows: f32[context, dim] = normal(1.0)
  fn f(tokens: i32[batch, seq <= context]) -> )" +
         result + " {\n let x = token(tokens)\n" + body + R"(
  }
}
export f
export next = incremental(f, along: seq)
)";
}

} // namespace

TEST(IncrementalScan, OneCarriedValue) {
  Stepped program(recurrent(R"(
    scan t over seq carry (h = zeros(batch, dim)) { h = tanh(of_x(x[:, t]) + of_h(h)) } -> h[:, t]
  )"));
  ASSERT_TRUE(program.derived);
  Decoding(program, 11).expectAll();
}

TEST(IncrementalScan, TakesPositionsBack) {
  Stepped program(recurrent(R"(
    scan t over seq carry (h = ones(batch, dim)) { h = tanh(of_x(x[:, t]) + of_h(h)) } -> h[:, t]
  )"));
  ASSERT_TRUE(program.derived);
  Decoding decoding(program, 11);
  decoding.expect("next_prefill", {0, 0}, 5, {5, 2});
  decoding.expect("next", {4, 1}, 1);                 // both rows are truncated by one position
  decoding.expect("next_prefill", {5, 0}, 4, {4, 1}); // the second row restarts
  decoding.expect("next_prefill", {8, 1}, 2, {0, 2}); // the first row has no position of this call
  decoding.expect("next", {9, 3}, 1);
}

TEST(IncrementalScan, SeveralCarriedValues) {
  Stepped program(recurrent(R"(
    let y = scan t over seq carry (h = zeros(batch, dim), c = full(0.5, batch, dim)) {
      let gate = sigmoid(of_x(x[:, t]) + of_h(h))
      c = gate * c + (1.0 - gate) * tanh(x[:, t])
      h = gate * tanh(c)
    } -> h[:, t]
    y @ token.table'
  )",
                            "f32[batch, seq, vocab]"));
  ASSERT_TRUE(program.derived);
  Decoding decoding(program, 11);
  EXPECT_EQ(decoding.caches.size(), 2u);
  decoding.expectAll();
}

TEST(IncrementalScan, AMatrixForEachHead) {
  Stepped program(recurrent(R"(
    let (q, k, v) = nn.split_heads(concat(x, of_x(x), of_h(x)), 3, heads)
    nn.merge_heads(scan t over seq carry (s = zeros(batch, heads, dim / heads, dim / heads)) {
      s = [b, h, i, j] => 0.9 * s[b, h, i, j] + k[b, h, t, i] * v[b, h, t, j]
      let y = [b, h, j] => sum i => q[b, h, t, i] * s[b, h, i, j]
    } -> y[:, :, t])
  )"));
  ASSERT_TRUE(program.derived);
  Decoding(program, 11).expectAll();
}

TEST(IncrementalScan, NumbersOfTimeSteps) {
  Stepped program(recurrent(R"(
    scan t over seq carry (h = zeros(batch, dim), n = 0, last = iota(batch)) {
      let before = [b, d] => if t >= 2 then x[b, t - 2, d] else 1.0
      h = [b, d] => 0.5 * h[b, d] + before[b, d] + f32(t) + 0.1 * f32(n) + rows[t, d] + f32(last[b])
      h = h + rows[t]
      n = n + 1
      last = argmax(x[:, t], axis: 1)
    } -> h[:, t]
  )"));
  ASSERT_TRUE(program.derived);
  Decoding decoding(program, 11);
  decoding.expectAll();
}

TEST(IncrementalScan, PositionsOfATable) {
  Stepped program(recurrent(R"(
    let places = rows[0:seq]
    scan t over seq carry (h = zeros(batch, dim)) { h = tanh(x[:, t] + places[t] + h) } -> h[:, t]
  )"));
  ASSERT_TRUE(program.derived);
  Decoding(program, 11).expectAll();
}

TEST(IncrementalScan, Layers) {
  Stepped program(std::string(embedded) + R"(
  cells: [Cell(dim); layers]
  fn f(tokens: i32[batch, seq <= context]) -> f32[batch, seq, dim] {
    var x = token(tokens)
    for cell in cells { x = x + cell(x) }
    x
  }
}
module Cell(dim) {
  of_x: nn.Linear(dim, dim)
  of_h: nn.Linear(dim, dim)
  mix:  nn.MultiHeadAttention(dim, 2)
  fn (x: f32[batch, seq, dim]) -> f32[batch, seq, dim] {
    let y = scan t over seq carry (h = zeros(batch, dim)) { h = tanh(of_x(x[:, t]) + of_h(h)) } -> h[:, t]
    mix(y)
  }
}
export f
export next = incremental(f, along: seq)
)");
  ASSERT_TRUE(program.derived);
  Decoding decoding(program, 11);
  EXPECT_EQ(decoding.caches.size(), 3u);
  // Its rings take one position back, where attention alone would take any number.
  decoding.expectAll();
}

TEST(IncrementalScan, AttendsToASource) {
  Stepped program(std::string(embedded) + R"(
  of_s: nn.Linear(dim, dim)
  read: nn.Linear(dim, dim)
  fn f(source: i32[batch, n], tokens: i32[batch, seq <= context]) -> f32[batch, seq, dim] {
    let m = scan t over n carry (h = zeros(batch, dim)) { h = tanh(token(source)[:, t] + read(h)) } -> h[:, t]
    let x = token(tokens)
    scan t over seq carry (s = m[:, 0], covered = zeros(batch, n)) {
      let (c, a) = [b] => attend i {
        score: dot(s[b], m[b, i]) - 0.3 * covered[b, i],
        value: m[b, i],
      } yields (value, weights)
      covered = covered + a
      s = tanh(x[:, t] + c + of_s(s))
    } -> s[:, t]
  }
}
export f
export next = incremental(f, along: seq)
)");
  ASSERT_TRUE(program.derived);
  Decoding decoding(program, 11, {program.random(Element::I32, {2, 14}, 11)});
  decoding.expectAll();
}

TEST(IncrementalScan, AttendsToEarlierPositions) {
  Stepped program(recurrent(R"(
    let keys = of_x(x)
    scan t over seq carry (h = zeros(batch, dim)) {
      let c = [b] => attend j { score: dot(h[b], keys[b, j]), mask: j <= t, value: x[b, j] }
      h = tanh(x[:, t] + c + of_h(h))
    } -> h[:, t]
  )"));
  ASSERT_TRUE(program.derived);
  Decoding(program, 11).expectAll();
}

TEST(IncrementalScan, EndsWithTheLastPosition) {
  Stepped program(recurrent(R"(
    let h = scan t over seq carry (h = zeros(batch, dim)) { h = tanh(of_x(x[:, t]) + of_h(h)) } -> h
    h @ token.table'
  )",
                            "f32[batch, vocab]"));
  ASSERT_TRUE(program.derived);
  Array tokens = program.random(Element::I32, {1, 4}, 11);
  Array whole = program.call("f", {tokens}).front();
  Array state(Element::F32, {1, 2, 8}, notANumber);
  auto first = program.call("next_prefill", {slice(tokens, 1, 0, 3), integers({1}, {0}), integers({1}, {3}), state});
  ASSERT_EQ(first.size(), 2u);
  auto second = program.call("next", {slice(tokens, 1, 3, 1), integers({1}, {3}), first[1]});
  ASSERT_EQ(second.size(), 2u);
  expectNear(second[0], whole, "the last position");
}

TEST(IncrementalScan, OneRowWithoutADimension) {
  Stepped program(R"(
fn f(x: f32[seq, d]) -> f32[seq, d] {
  scan t over seq carry (h = zeros(d), n = 1.0) {
    h = tanh(h + n * x[t])
    n = n + 0.5
  } -> h[t, :]
}
export f
export next = incremental(f, along: seq)
)");
  ASSERT_TRUE(program.derived);
  Array x = program.random(Element::F32, {6, 3}), whole = program.call("f", {x}).front();
  Array h(Element::F32, {2, 3}, notANumber), n(Element::F32, {2}, notANumber);
  Array none = Array::scalar(Element::I32, 0), five = Array::scalar(Element::I32, 5);
  auto first = program.call("next_prefill", {slice(x, 0, 0, 5), none, five, h, n});
  ASSERT_EQ(first.size(), 3u);
  expectNear(first[0], slice(whole, 0, 0, 5), "prefill");
  auto second = program.call("next", {slice(x, 0, 5, 1), five, first[1], first[2]});
  ASSERT_EQ(second.size(), 3u);
  expectNear(second[0], slice(whole, 0, 5, 1), "step");
}
