#include "compiler/Codegen/Backend/Backend.h"
#include "compiler/Codegen/Nest/Routine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace attnc;
using namespace mlir;

namespace {

/// A module with a function of buffers that calls routines.
class RoutineTest : public testing::Test {
protected:
  static DialectRegistry dialects() {
    DialectRegistry registry;
    registerBackendDialects(registry);
    return registry;
  }

  RoutineTest() : context(dialects(), MLIRContext::Threading::DISABLED), builder(&context) {
    context.loadAllAvailableDialects();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    auto type = builder.getFunctionType({MemRefType::get({64}, builder.getF32Type()), builder.getIndexType()}, {});
    caller = func::FuncOp::create(builder, builder.getUnknownLoc(), "caller", type);
    builder.setInsertionPointToEnd(caller.addEntryBlock());
    auto end = func::ReturnOp::create(builder, builder.getUnknownLoc());
    builder.setInsertionPoint(end);
  }

  /// Calls a routine that stores zeros at `offset` + `distance`.
  void call(const std::string &name, Value distance, Value offset) {
    FlatBuilder code(builder, builder.getUnknownLoc(), 16);
    callRoutine(code, *module, {name, {distance}, {caller.getArgument(0), offset}},
                [&](FlatBuilder &routine, ValueRange operands) {
                  ++filled;
                  routine.store(routine.splat(0.0), operands[1], ValueRange{routine.add(operands[0], operands[2])});
                });
  }
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, builder.getUnknownLoc(), value); }
  std::vector<std::string> routines() {
    std::vector<std::string> names;
    for (auto function : module->getOps<func::FuncOp>())
      if (function != caller)
        names.push_back(function.getName().str());
    llvm::sort(names);
    return names;
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  func::FuncOp caller;
  int filled = 0;
};

TEST_F(RoutineTest, callsOfTheSameNameShareOne) {
  call("zero", constant(8), constant(0));
  call("zero", constant(8), caller.getArgument(1));
  EXPECT_EQ(routines(), std::vector<std::string>{"routine.zero.8"});
  EXPECT_EQ(filled, 1);
  EXPECT_EQ(llvm::range_size(caller.getOps<func::CallOp>()), 2);
}

TEST_F(RoutineTest, knownValuesMakeOthers) {
  call("zero", constant(8), constant(0));
  call("zero", constant(16), constant(0));
  call("zero", caller.getArgument(1), constant(0));
  call("also", constant(8), constant(0));
  EXPECT_EQ(routines(), (std::vector<std::string>{"routine.also.8", "routine.zero.16", "routine.zero.8",
                                                  "routine.zero.any"}));
  EXPECT_EQ(filled, 4);
}

TEST_F(RoutineTest, theyCompile) {
  call("zero", constant(8), caller.getArgument(1));
  call("zero", caller.getArgument(1), constant(0));
  EXPECT_TRUE(succeeded(compileToObject(*module, llvm::cantFail(Target::resolve("x86-64-v4")))));
}

} // namespace
