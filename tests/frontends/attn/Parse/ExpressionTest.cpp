// Tests how expressions group, and that their canonical form parses to itself.

#include "tests/frontends/attn/Parse/Source.h"

#include <gtest/gtest.h>

using namespace attnc;

namespace {

/// Expects that `text` is its own canonical form.
void same(const std::string &text) { EXPECT_EQ(expression(text), text); }

TEST(Expression, Literals) {
  same("256");
  EXPECT_EQ(expression("1_000_000"), "1000000");
  same("0.5");
  EXPECT_EQ(expression("3e-4"), "0.0003");
  EXPECT_EQ(expression("1e30"), "1e+30");
  EXPECT_EQ(expression("2.0"), "2.0");
  same("true");
  same(R"("a \"b\" \\ \n\t")");
}

TEST(Expression, OperatorsGroup) {
  EXPECT_EQ(expression("a - b - c"), "a - b - c");
  EXPECT_EQ(expression("a - (b - c)"), "a - (b - c)");
  EXPECT_EQ(expression("(a * b) + c / d"), "a * b + c / d");
  EXPECT_EQ(expression("(a + b) * c"), "(a + b) * c");
  EXPECT_EQ(expression("2 ** 3 ** 2"), "2 ** 3 ** 2");
  EXPECT_EQ(expression("(2 ** 3) ** 2"), "(2 ** 3) ** 2");
  EXPECT_EQ(expression("-x ** 2"), "-x ** 2");
  EXPECT_EQ(expression("(-x) ** 2"), "(-x) ** 2");
  EXPECT_EQ(expression("2 ** -1"), "2 ** -1");
  EXPECT_EQ(expression("not a == b and c or d"), "not a == b and c or d");
  EXPECT_EQ(expression("not (a and b)"), "not (a and b)");
  EXPECT_EQ(expression("a and (b or c)"), "a and (b or c)");
  EXPECT_EQ(expression("x @ w' + b"), "x @ w' + b");
  EXPECT_EQ(expression("(x @ w)'"), "(x @ w)'");
  EXPECT_EQ(expression("a % b / c @ d"), "a % b / c @ d");
}

TEST(Expression, Postfix) {
  same("nn.split_heads(qkv(x), 3, heads)");
  same("adamw(lr: warmup(3e-05), clip: 1)");
  same("x[.., 0:n, :, 1:, :k, i + 1]");
  same("token.table'[i]");
  same("f(x)(y)[i].z");
}

TEST(Expression, WhatReachesAsFarAsItCan) {
  same("if a then b else c + d");
  same("(if a then b else c) + d");
  same("1 + (if a then b else c)");
  EXPECT_EQ(expression("1 + sum k => x[k] + 1"), "1 + (sum k => x[k] + 1)");
  same("w => w * 2");
  same("(a, b) => a + b");
  same("() => 1");
  same("(a, b)");
}

TEST(Expression, Indexing) {
  same("[i, j] => a[i] * b[j]");
  same("[i < n, j] => x[i + j]");
  same("[.., i] => x[.., i]");
  same("[1, 2, 3]");
  same("[]");
  same("[Block(dim, heads); layers]");
  same("[Tc(2 ** l) for l < n]");
  same("[f(b) for b in blocks]");
}

TEST(Expression, Reductions) {
  same("sum k => a[k] * b[k]");
  same("max (y, x < w) => a[y, x]");
  EXPECT_EQ(expression("sum k, l < n => a[k, l]"), "sum (k, l < n) => a[k, l]");
  same("sum t where t < length => x[t]");
  same("sum t where t < length[b] and valid => x[t]");
  same("sum k < n => x[k]");
  same("sum t where (if a then b else c) => x[t]");
  EXPECT_EQ(expression("sum(x)"), "sum(x)");
  EXPECT_EQ(expression("max(a, b)"), "max(a, b)");
  same("argmax k => x[k]");
  same("sum k < max(n, 1) => x[k]");
  same("sum k < max(n, 1) where k > 0 => x[k]");
  same("mean k => sum j => x[k, j]");
}

TEST(Expression, Attend) {
  EXPECT_EQ(expression("attend j { score: dot(q[i], k[j]) / sqrt(d), mask: j <= i, value: v[j] }"),
            R"(attend j {
  score: dot(q[i], k[j]) / sqrt(d),
  mask: j <= i,
  value: v[j],
})");
  EXPECT_EQ(expression("[b] => attend (y, x < w) {\n score: a\n weight: w => dropout(w, 0.1)\n by: softmax(sink: s) }"
                       " yields (value, lse, top(4))"),
            R"([b] => attend (y, x < w) {
  score: a,
  by: softmax(sink: s),
  weight: w => dropout(w, 0.1),
} yields (value, lse, top(4)))");
  EXPECT_EQ(expression("attend j { score: s[j] } yields lse"), "attend j {\n  score: s[j],\n} yields (lse)");
}

TEST(Expression, Scan) {
  EXPECT_EQ(expression("scan t over n backward until l carry (h = h0, c = 0) { h = f(h, x[:, t]) } -> (h[..,t], c)"),
            R"(scan t over n backward until l carry (h = h0, c = 0) {
  h = f(h, x[:, t])
} -> (h[.., t], c))");
  EXPECT_EQ(expression("scan t over 2 * n carry (h = 0) { h = h + 1 } -> (h[t])"), R"(scan t over 2 * n carry (h = 0) {
  h = h + 1
} -> h[t])");
}

TEST(Expression, RangesCoverWhatWasWritten) {
  Parsed parsed("const c = a + (b * f(x)[i])'");
  auto *sum = parsed.file.constants[0].value->as<ast::BinaryExpr>();
  EXPECT_EQ(parsed.sources.text(sum->range), "a + (b * f(x)[i])'");
  EXPECT_EQ(parsed.sources.text(sum->opRange), "+");
  auto *transpose = sum->rhs->as<ast::UnaryExpr>();
  EXPECT_EQ(parsed.sources.text(transpose->operand->range), "(b * f(x)[i])");
  auto *product = transpose->operand->as<ast::BinaryExpr>();
  EXPECT_EQ(parsed.sources.text(product->rhs->range), "f(x)[i]");
}

} // namespace
