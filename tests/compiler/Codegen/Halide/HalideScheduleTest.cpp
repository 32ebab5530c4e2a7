// Tests schedules of kernels by Halide: chosen ones, given ones, ones that are read back, and errors in them.
#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "mlir/IR/BuiltinOps.h"
#include "tests/compiler/Codegen/Halide/HalideKernel.h"
#include "tests/support/ParsedModule.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

/// Returns the schedule that the emitter records.
std::string emitted(const Kernel &kernel) {
  ParsedModule parsed(textOf(kernel));
  mlir::OwningOpRef<mlir::ModuleOp> code = mlir::ModuleOp::create(parsed.function().getLoc());
  if (failed(createHalideEmitter()->emit(parsed.function(), llvm::cantFail(Target::resolve("x86-64-v4")), *code)))
    return parsed.diagnostics();
  return *chosenText(parsed.function(), "halide");
}

/// A stored schedule that is given again results in the same text.
TEST(HalideSchedules, AreReadBack) {
  for (Kernel kernel : {convolution(5, 9, 3, 40), causal(), largest(), byWeights(32)}) {
    std::string text = emitted(kernel);
    EXPECT_TRUE(text.starts_with("lanes(")) << text;
    kernel.schedule = fmt::format("halide = \"{}\"", text);
    EXPECT_EQ(emitted(kernel), text);
  }
}

/// Equal kernels are compiled once; each has a function of its own name.
TEST(HalideSchedules, OfAlikeKernels) {
  auto emitter = createHalideEmitter();
  std::string text = textOf(causal()), other = text;
  for (size_t at = 0; (at = other.find("@k", at)) != std::string::npos;)
    other.replace(at, 2, "@z");
  ParsedModule first(text), second(other);
  for (ParsedModule *parsed : {&first, &second}) {
    mlir::OwningOpRef<mlir::ModuleOp> code = mlir::ModuleOp::create(parsed->function().getLoc());
    ASSERT_TRUE(succeeded(emitter->emit(parsed->function(), llvm::cantFail(Target::resolve("x86-64-v4")), *code)))
        << parsed->diagnostics();
    EXPECT_TRUE(code->lookupSymbol((parsed->function().getName() + ".halide").str()));
  }
}

TEST(HalideSchedules, OfAPerson) {
  Kernel kernel = convolution(4, 14, 8, 64);
  for (std::string text : {
           "lanes(d2, 2 x 1) rows(d3, 5) sum(d4, d5, d6) chunk(d0: 1)",
           "lanes(d3, 8 x 8) sum(d6, d4, d5) chunk(d0: 7)",
           "lanes(d3, 1 x 1) sum(d5, d6, d4) chunk(d1: 3, d0: 1)",
       }) {
    kernel.schedule = fmt::format("halide = \"{}\"", text);
    EXPECT_EQ(check(kernel, {random({2, 6, 16, 8}, 1), random({3, 3, 8, 64}, 2)}, {2, 4, 14, 64}), "") << text;
  }
}

std::string scheduleError(Kernel kernel, const std::string &text) {
  kernel.schedule = fmt::format("halide = \"{}\"", text);
  ParsedModule parsed(textOf(kernel));
  return createHalideEmitter()->scheduleError(parsed.function(), llvm::cantFail(Target::resolve("x86-64-v4")));
}

TEST(HalideSchedules, SayWhatIsWrong) {
  Kernel kernel = convolution(4, 14, 8, 64);
  auto error = [&](const std::string &text) { return scheduleError(kernel, text); };
  EXPECT_EQ(error("lanes(d3, 16 x 4) rows(d2, 7) sum(d6, d5, d4) chunk(d0: 1, d1: 2)"), "");
  EXPECT_EQ(error(""), "k.halide: at column 1: found the end, expected `lanes(...)`");
  EXPECT_EQ(error("lanes(d4, 16 x 4)"),
            "k.halide: at column 7: found d4, expected a dimension of the result: d0, d1, d2, d3");
  EXPECT_EQ(error("lanes(d3, 12 x 4)"), "k.halide: at column 11: found 12, expected a power of 2");
  EXPECT_EQ(error("lanes(d3, 16 x 9)"), "k.halide: at column 16: found 9, expected a number from 1 to 8");
  // A count of 0 once led to a division by zero.
  EXPECT_EQ(error("lanes(d3, 16 x 0) sum(d6) over(d5, d4)"),
            "k.halide: at column 16: found 0, expected a number from 1 to 8");
  EXPECT_EQ(error("lanes(d3, 16 x 4) rows(d3, 7)"),
            "k.halide: at column 24: found d3, expected another dimension than that of the lanes");
  EXPECT_EQ(error("lanes(d3, 16 x 4) rws(d2, 7)"),
            "k.halide: at column 19: found rws, expected `rows(...)` or `sum(...)`");
  EXPECT_EQ(error("lanes(d3, 16 x 4) sum(d6, d6, d4)"),
            "k.halide: at column 27: found d6, expected a loop that is summed over: d4, d5");
  EXPECT_EQ(error("lanes(d3, 16 x 4) sum(d6, d5, d4) chunk(d3: 100)"),
            "k.halide: at column 45: found 100, expected a multiple of the 64 that a tile has of it");
  EXPECT_EQ(
      error("lanes(d3, 16 x 4) sum(d6, d5, d4) chunk(d0: 2, d1: 2)"),
      "k.halide: at column 52: found 2, expected 1, because another dimension has more than one index in a chunk");
  EXPECT_EQ(
      error("lanes(d0, 2 x 1) sum(d6, d5, d4)"),
      "k.halide: at column 33: found the end, expected chunk(d0: ...), because that may be less than the 2 of a tile");
  EXPECT_EQ(error("lanes(d3, 16 x 4) sum(d6, d5, d4); lanes(d3, 16 x 4)"),
            "k.halide: has 2 schedules, expected 1, one for each stage, separated by `;`");
  EXPECT_EQ(error("lanes(d3, 16 x 4) é(d6)"), "k.halide: at column 19: found é, expected `rows(...)` or `sum(...)`");
  EXPECT_EQ(error("lanes(d3,\\t16 x 4)\\nrows(d2, 7) sum(d6, d5, d4)"), "");
}

} // namespace
} // namespace attnc
