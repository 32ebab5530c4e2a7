// Tests the canonical form of files.

#include "tests/frontends/attn/Parse/Source.h"

#include <gtest/gtest.h>

using namespace attnc;

namespace {

TEST(Declaration, AWholeFile) {
  std::string text = R"(use nn
const eps = 1e-05
fn scale(x: f32[.., dim], by: f32, width = 3) -> f32[.., dim] {
  x * by
}
extern fn noise(seed: i32) -> f32[16]
model Gpt(vocab = 256, layers = 6, dim = 384) {
  const head_dim = dim / heads
  table: f32[vocab, dim] = normal(0.02) as "wte.weight" #no_decay #tied
  frozen shift: f32 = zeros
  state seen: i32[vocab] = zeros
  blocks: [Block(dim); layers] as "h"
  frozen encoder: nn.Encoder(dim)
  decoder: nn.Decoder(dim) as "" with adapters.LoRA(8) at "q", "*.v" frozen at "norm", "mlp"
  fn logits(tokens: i32[batch, seq <= 2 * context]) -> (y: f32[batch, seq, vocab], map: f32[batch, seq + 1]) {
    let (q, _, v) = split(tokens)
    var x: f32[batch, seq] = q
    for block in blocks {
      x = block(x)
    }
    for l < 3 {
      x = x + l
    }
    const three = 3
    if training {
      seen <- seen + 1
      a.b <- 2
    } else if x == 1 {
      return x
    } else {
      x = -x
    }
    return (x, v)
  }
  fn (x: f32[.., dim]) -> f32[.., dim] {
    x
  }
}
optimizer adamw(lr, beta1 = 0.9) {
  state m, v = like(p)
  step(p, g, t) {
    m <- beta1 * m
  }
}
export logits
export next = incremental(logits, along: seq)
export write = decode(next, with: beam(4), stop: eos) -> (tokens, length)
)";
  EXPECT_EQ(printed(text), text);
}

TEST(Declaration, OnOneLine) {
  EXPECT_EQ(printed("optimizer sgd(lr) { state m = like(p); step(p, g) { m <- g; p <- p - lr * m } }"),
            R"(optimizer sgd(lr) {
  state m = like(p)
  step(p, g) {
    m <- g
    p <- p - lr * m
  }
}
)");
}

TEST(Declaration, AnExportedFunction) {
  EXPECT_EQ(printed("/// Doubles.\nexport fn twice(x: f32[n]) -> f32[n] { 2 * x }"), R"(/// Doubles.
fn twice(x: f32[n]) -> f32[n] {
  2 * x
}
export twice
)");
}

TEST(Declaration, ADocumentationMayEndWithAnEmptyLine) {
  EXPECT_EQ(printed("/// a\n///\nfn f() { 1 }"), "/// a\n///\nfn f() {\n  1\n}\n");
}

TEST(Declaration, ACommentDirectlyAboveIsItsDocumentation) {
  Parsed parsed(R"(// A file about nothing.

/// What it does,
/// in two lines.
fn f() { 1 } /// not this
// nor this
fn g() { 2 }
model M() {
  /// The table.
  t: f32[2]
  /// The size.
  const n = 2
})");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(parsed.file.functions[0].doc, "What it does,\nin two lines.");
  EXPECT_EQ(parsed.file.functions[1].doc, "");
  EXPECT_EQ(parsed.file.modules[0].fields[0].doc, "The table.");
  EXPECT_EQ(parsed.file.modules[0].constants[0].doc, "The size.");
}

TEST(Declaration, WordsThatAreNamesElsewhere) {
  std::string text = R"(fn f(state: f32[n], model: f32[n], step: f32, use: f32, sum: f32, yields: f32) -> f32[n] {
  state + model * step + use + sum + yields
}
)";
  EXPECT_EQ(printed(text), text);
}

TEST(Statement, ALineBreakEndsItUnlessTheLineEndsInAnOperator) {
  EXPECT_EQ(
      printed("fn f() {\n let a = b +\n  c\n let d = g(a,\n  b\n)\n -a\n if a\n then b\n else c\n [i] =>\n a[i]\n}"),
      R"(fn f() {
  let a = b + c
  let d = g(a, b)
  -a
  if a then b else c
  [i] => a[i]
}
)");
}

TEST(Statement, EmptyFile) { EXPECT_EQ(printed(""), ""); }

} // namespace
