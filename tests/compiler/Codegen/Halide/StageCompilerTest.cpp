#include "compiler/Codegen/Halide/Compile/StageCompiler.h"
#include <gtest/gtest.h>

namespace attnc::halide {
namespace {

/// y[i] = x[i] * x[i] + ... + x[i] * x[i], with so many terms.
StageRequest products(int terms, const std::string &symbol) {
  const Size size{1024};
  Stage stage;
  stage.loops = {{size, false}};
  stage.result = {0};
  stage.buffers = {{.shape = {size}}};
  unsigned index = stage.add({Op::Index, ATTN_I32, {}, 0, 0});
  unsigned x = stage.add({Op::Load, ATTN_F32, {index}, 0, 0});
  for (int term = 0; term < terms; ++term) {
    unsigned product = stage.add({Op::Mul, ATTN_F32, {x, x}});
    stage.value = term == 0 ? product : stage.add({Op::Add, ATTN_F32, {stage.value, product}});
  }
  Machine machine{.target = "x86-64-linux-sse41-avx-avx2-fma"};
  std::string reason;
  Schedule schedule = *chooseSchedule(stage, machine, reason);
  return {std::move(stage), std::move(schedule), machine, 0, symbol};
}

TEST(StageCompiler, CompilesEqualStagesOnce) {
  StageCompiler compiler;
  compiler.request(products(1, "first"));
  Bitcode other = compiler.codeOf(products(2, "other")), second = compiler.codeOf(products(1, "second"));
  EXPECT_EQ(other.symbol, "other");
  EXPECT_EQ(other.error, "");
  EXPECT_EQ(second.symbol, "first");
  EXPECT_EQ(second.bytes, compiler.codeOf(products(1, "first")).bytes);
  EXPECT_NE(second.bytes, other.bytes);
}

/// The code of a request can be read in any order, or never.
TEST(StageCompiler, IsAskedInAnyOrder) {
  StageCompiler compiler;
  for (int terms = 3; terms < 7; ++terms)
    compiler.request(products(terms, "f" + std::to_string(terms)));
  for (int terms : {5, 3, 4}) {
    Bitcode code = compiler.codeOf(products(terms, "g"));
    EXPECT_EQ(code.symbol, "f" + std::to_string(terms));
    EXPECT_EQ(code.error, "");
  }
}

TEST(StageCompiler, ReportsErrors) {
  StageCompiler compiler;
  StageRequest request = products(1, "f");
  request.machine.target = "no-such-target";
  compiler.request(request);
  EXPECT_NE(compiler.codeOf(request).error, "");
}

} // namespace
} // namespace attnc::halide
