// Compares scans in incremental entry points with the function that they are derived from.
#include "tests/compiler/Derive/Decoding.h"

using namespace attnc;

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
  // The state of `covered` has as many elements as the source: Decoding takes its capacity for any dimension.
  Decoding decoding(program, 11, {program.random(Element::I32, {2, Decoding::capacity}, 11)});
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

TEST(IncrementalScan, StartsFromAnEncoder) {
  Stepped program(std::string(embedded) + R"(
  read: nn.Linear(dim, dim)
  fn f(source: i32[batch, n], tokens: i32[batch, seq <= context]) -> f32[batch, seq, dim] {
    let (y, x) = (token(source), token(tokens))
    let p = scan k over n carry (h = zeros(batch, dim)) { h = tanh(h + y[:, k]) } -> h
    scan t over seq carry (h = p) {
      let c = scan k over n carry (c = zeros(batch, dim)) { c = [b, d] => 0.5 * c[b, d] + y[b, k, d] * h[b, d] } -> c
      h = tanh(read(h) + x[:, t] + c)
    } -> h[:, t]
  }
}
export f
export next = incremental(f, along: seq)
)");
  ASSERT_TRUE(program.derived);
  Decoding(program, 11, {program.random(Element::I32, {2, 5}, 11)}).expectAll();
}

TEST(IncrementalScan, SizesOfTheSourceAlone) {
  Stepped program(std::string(embedded) + R"(
  fn f(source: i32[batch, n], tokens: i32[batch, seq <= context]) -> f32[batch, seq, dim] {
    let p = mean(tanh(token(source)), axis: 1)
    let x = token(tokens)
    scan t over seq carry (h = p) { h = tanh(h + x[:, t]) } -> h[:, t]
  }
}
export f
export next = incremental(f, along: seq)
)");
  ASSERT_TRUE(program.derived);
  Decoding(program, 11, {program.random(Element::I32, {2, 5}, 11)}).expectAll();
}

TEST(IncrementalScan, ReadsEarlierPositionsOfAnotherScan) {
  Stepped program(recurrent(R"(
    let y = scan t over seq carry (h = zeros(batch, dim)) { h = tanh(of_x(x[:, t]) + of_h(h)) } -> h[:, t]
    let z = scan t over seq carry (h = zeros(batch, dim)) {
      let before = if t >= 2 then y[:, t - 2] else zeros(batch, dim)
      h = tanh(h + before + y[:, t])
    } -> h[:, t]
    [b, s, d] => z[b, s, d] + if s >= 1 then y[b, s - 1, d] else 0.0
  )"));
  ASSERT_TRUE(program.derived);
  Decoding(program, 11).expectAll();
}
