// Tests that a walk visits every node of a tree.
#include "frontends/attn/Parse/Walk.h"
#include "tests/frontends/attn/Parse/Source.h"

#include <gtest/gtest.h>

using namespace attnc;

namespace {

/// Returns all names that the walk visits, in its order.
std::string namesIn(std::string text) {
  Parsed parsed(std::move(text));
  EXPECT_EQ(parsed.errors(), "");
  std::string names;
  walk(parsed.file, {.expression = [&](const ast::Expr &expr) {
         if (auto *name = expr.as<ast::NameRefExpr>())
           names += name->name;
       }});
  return names;
}

std::string namesInExpression(const std::string &text) { return namesIn("const c = " + text); }

TEST(Walk, PassesEveryPartOfAnExpression) {
  EXPECT_EQ(namesInExpression("a.x(b, l: c)[d, e:f, ..]' + -g"), "abcdefg");
  EXPECT_EQ(namesInExpression("if a then b else (c, [d, e], [f; g], [h for i < k])"), "abcdefghk");
  EXPECT_EQ(namesInExpression("[i < a] => sum j < b where c => w => d"), "abcd");
  EXPECT_EQ(namesInExpression("attend j < a { score: b, mask: c, by: d, value: e, weight: f, renormalise: g } "
                              "yields (h, k)"),
            "abcdefghk");
  EXPECT_EQ(namesInExpression("scan t over a until b carry (s = c) { let u = d } -> (s[e, t])"), "abcetd");
}

TEST(Walk, PassesEveryDeclaration) {
  EXPECT_EQ(namesIn("fn f(x: f32[a <= b] = c) -> f32[d] { for k in e { if f { g } else { h } }; return i }"),
            "abcdefghi");
  EXPECT_EQ(namesIn("module M(p = a) {\n const q = b\n x: f32[c] = d\n y: e with h(i) at \"w\"\n "
                    "fn (z: f32[f]) { z2 <- g }\n}"),
            "abcdehifz2g");
  EXPECT_EQ(namesIn("optimizer o(p = a) {\n state s = b\n step(p, g, t) { v = c }\n}\nexport e = d"), "abcd");
}

TEST(Walk, PassesBlocksTypesAndParameters) {
  Parsed parsed("fn f(x: f32[n], y: f32) { let z: f32[2] = x\n if a { y } }");
  int blocks = 0, types = 0, parameters = 0;
  walk(parsed.file, {.block = [&](const ast::Block &) { ++blocks; },
                     .type = [&](const ast::TensorType &) { ++types; },
                     .parameter = [&](const ast::Parameter &) { ++parameters; }});
  EXPECT_EQ(blocks, 2);
  EXPECT_EQ(types, 3);
  EXPECT_EQ(parameters, 2);
}

} // namespace
