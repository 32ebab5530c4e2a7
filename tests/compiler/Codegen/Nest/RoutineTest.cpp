#include "compiler/Codegen/Nest/Routine.h"
#include "tests/compiler/Codegen/Nest/CodeFunction.h"
#include <gtest/gtest.h>

using namespace attnc;
using namespace mlir;

namespace {

/// A module with a function of a buffer and an index that calls routines.
class RoutineTest : public testing::Test, protected CodeFunction {
protected:
  RoutineTest()
      : CodeFunction([](Builder &types) {
          return SmallVector<Type>{MemRefType::get({64}, types.getF32Type()), types.getIndexType()};
        }) {}

  /// Calls a routine that stores zeros at `offset` + `distance`.
  void call(const std::string &name, Value distance, Value offset) {
    FlatBuilder code(builder, builder.getUnknownLoc(), 16);
    callRoutine(code, *module, {name, {distance}, {function.getArgument(0), offset}},
                [&](FlatBuilder &routine, ValueRange operands) {
                  ++filled;
                  routine.store(routine.splat(0.0), operands[1], ValueRange{routine.add(operands[0], operands[2])});
                });
  }
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, builder.getUnknownLoc(), value); }

  int filled = 0;
};

TEST_F(RoutineTest, callsOfTheSameNameShareOne) {
  call("zero", constant(8), constant(0));
  call("zero", constant(8), function.getArgument(1));
  EXPECT_EQ(otherFunctions(), std::vector<std::string>{"routine.zero.8"});
  EXPECT_EQ(filled, 1);
  EXPECT_EQ(llvm::range_size(function.getOps<func::CallOp>()), 2);
}

TEST_F(RoutineTest, knownValuesMakeOthers) {
  call("zero", constant(8), constant(0));
  call("zero", constant(16), constant(0));
  call("zero", function.getArgument(1), constant(0));
  call("also", constant(8), constant(0));
  EXPECT_EQ(otherFunctions(),
            (std::vector<std::string>{"routine.also.8", "routine.zero.16", "routine.zero.8", "routine.zero.any"}));
  EXPECT_EQ(filled, 4);
}

TEST_F(RoutineTest, theyCompile) {
  call("zero", constant(8), function.getArgument(1));
  call("zero", function.getArgument(1), constant(0));
  EXPECT_TRUE(succeeded(compileToObject(*module, llvm::cantFail(Target::resolve("x86-64-v4")))));
}

} // namespace
