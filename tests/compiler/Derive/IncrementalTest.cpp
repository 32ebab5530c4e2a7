// Compares incremental entry points with the function that they are derived from, on the double-precision oracle.
#include "tests/compiler/Derive/Decoding.h"

using namespace attnc;

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
