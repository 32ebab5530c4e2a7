// Values are compared by the tests of kernels that pack rows: cpu-attend-tests, gemm-tests and stored-kernels-tests.
#include "compiler/Codegen/Nest/TransposeRoutines.h"
#include "tests/compiler/Codegen/Nest/CodeFunction.h"
#include <gtest/gtest.h>

using namespace attnc;
using namespace mlir;

namespace {

/// A function of two buffers, of f32 and of bf16, an index and a scale.
class TransposeRoutines : public testing::TestWithParam<std::string>, protected CodeFunction {
protected:
  TransposeRoutines()
      : CodeFunction([](Builder &types) {
          Type f32 = types.getF32Type(), bf16 = types.getBF16Type();
          return SmallVector<Type>{MemRefType::get({4096}, f32), MemRefType::get({4096}, bf16), types.getIndexType(),
                                   f32};
        }),
        target(llvm::cantFail(Target::resolve(GetParam()))), code(builder, UnknownLoc::get(&context), target.f32Lanes) {
  }

  StridedRows rows(Value flat) {
    Value any = function.getArgument(2);
    return {flat, any, any, any, any};
  }

  Target target;
  FlatBuilder code;
};

TEST_P(TransposeRoutines, existOnceForEachKindWidthAndType) {
  Value floats = function.getArgument(0), halves = function.getArgument(1), zero = code.constant(0);
  Value width = code.constant(64), scale = function.getArgument(3);
  for (int repeat = 0; repeat < 2; ++repeat) {
    packRows(code, *module, rows(halves), MissingRows::Zeros, {floats, zero, 64}, width);
    packRows(code, *module, rows(halves), MissingRows::Copies, {floats, zero, 64}, width, scale);
    unpackRows(code, *module, {floats, zero, 64}, rows(halves));
    unpackRows(code, *module, {floats, zero, 32}, rows(halves), floats);
  }
  EXPECT_EQ(otherFunctions(),
            (std::vector<std::string>{"routine.pack_rows.64.bf16.f32", "routine.pack_rows_repeating.scaled.64.bf16.f32",
                                      "routine.unpack_rows.64.f32.bf16", "routine.unpack_rows.scaled.32.f32.bf16"}));
  EXPECT_TRUE(succeeded(compileToObject(*module, target)));
}

TEST_P(TransposeRoutines, distancesOfRowsAreKnownIfTheSizesAfterThemAre) {
  Value any = function.getArgument(2), next = code.add(any, 1), zero = code.constant(0), other = code.constant(0);
  Type type = MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic, 3, 5}, builder.getF32Type());
  Value buffer = function.front().addArgument(type, builder.getUnknownLoc());
  auto strideOf = [&](ValueRange first, ValueRange second) {
    return FlatBuilder::constantOf(stridedRows(code, buffer, first, second).stride);
  };
  EXPECT_EQ(strideOf({any, any, zero, any}, {any, next, other, any}), 15);
  EXPECT_EQ(strideOf({any, any, any, any}, {any, any, next, any}), 5);
  EXPECT_EQ(strideOf({any, any, any, any}, {any, any, any, next}), 1);
  EXPECT_EQ(strideOf({any, any, any, any}, {next, any, any, any}), std::nullopt);
  EXPECT_EQ(strideOf({any, any, any, any}, {any, next, next, any}), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Targets, TransposeRoutines, testing::Values("x86-64-v3", "x86-64-v4"),
                         [](const auto &info) { return info.param == "x86-64-v3" ? "avx2" : "avx512"; });

} // namespace
