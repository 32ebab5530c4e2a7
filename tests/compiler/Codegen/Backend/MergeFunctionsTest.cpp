#include "compiler/Codegen/Backend/Backend.h"
#include "mlir/IR/Verifier.h"
#include "tests/support/ParsedModule.h"
#include <gmock/gmock.h>

using namespace attnc;
using namespace mlir;
using testing::ElementsAre;

namespace {

/// A module with functions of two numbers, each of which has a caller: `caller_0` calls `body_0`.
class MergeFunctions : public testing::Test {
protected:
  void add(const std::string &body, const std::string &linkage = "internal", const std::string &extra = "") {
    std::string number = std::to_string(count++);
    text += "func.func private @body_" + number +
            "(%p: memref<99xf32>, %i: index) -> index attributes {llvm.linkage = #llvm.linkage<" + linkage + ">} {\n" +
            body + "\n return %r : index }\n";
    text += "func.func @caller_" + number + "(%p: memref<99xf32>, %i: index) -> index {\n" + extra +
            "  %r = func.call @body_" + number +
            "(%p, %i) : (memref<99xf32>, index) -> index\n  return %r : index\n}\n";
  }
  void share() {
    module.emplace(text);
    ASSERT_TRUE(*module) << module->diagnostics();
    mergeFunctions(module->get());
    EXPECT_TRUE(succeeded(verify(module->get())));
  }
  std::vector<std::string> bodies() {
    std::vector<std::string> names;
    for (auto function : module->get().getOps<func::FuncOp>())
      if (function.getName().starts_with("body"))
        names.push_back(function.getName().str());
    return names;
  }
  /// Returns the callee of a caller and the numbers that it passes.
  std::string call(int caller) {
    func::CallOp call = *module->function("caller_" + std::to_string(caller)).getOps<func::CallOp>().begin();
    std::string called = call.getCallee().str();
    for (Value operand : call.getOperands().drop_front(2))
      called += " " + std::to_string(cast<IntegerAttr>(operand.getDefiningOp<arith::ConstantOp>().getValue()).getInt());
    return called;
  }
  /// Returns the operations of a function as text.
  std::string printed(StringRef name) {
    std::string printed;
    llvm::raw_string_ostream(printed) << module->function(name);
    return printed;
  }

  std::string text;
  int count = 0;
  std::optional<ParsedModule> module;
};

std::string window(int size) {
  return "%c = arith.constant " + std::to_string(size) + R"( : index
    %low = arith.subi %i, %c : index
    %zero = arith.constant 0 : index
    %r = arith.maxsi %low, %zero : index)";
}

TEST_F(MergeFunctions, constantsInWhichTheyDifferAreParameters) {
  for (int size : {512, 528, 544})
    add(window(size));
  share();
  EXPECT_THAT(bodies(), ElementsAre("body_0"));
  EXPECT_EQ(call(0), "body_0 512");
  EXPECT_EQ(call(1), "body_0 528");
  EXPECT_EQ(call(2), "body_0 544");
  EXPECT_THAT(printed("body_0"), testing::HasSubstr("arith.subi %arg1, %arg2"));
  EXPECT_THAT(printed("body_0"), testing::HasSubstr("arith.constant 0")) << "which is the same in all";
}

TEST_F(MergeFunctions, constantsThatDifferTogetherAreOneParameter) {
  auto twice = [](int first, int second) {
    return "%c = arith.constant " + std::to_string(first) + " : index\n%d = arith.constant " + std::to_string(second) +
           " : index\n%e = arith.constant " + std::to_string(first) + R"( : index
      %x = arith.minsi %i, %c : index
      %y = arith.maxsi %x, %d : index
      %r = arith.minsi %y, %e : index)";
  };
  add(twice(3, 5));
  add(twice(4, 4));
  share();
  EXPECT_THAT(bodies(), ElementsAre("body_0"));
  EXPECT_EQ(call(0), "body_0 3 5");
  EXPECT_EQ(call(1), "body_0 4 4");
}

TEST_F(MergeFunctions, equalFunctionsAreOne) {
  add(window(512));
  add(window(512));
  share();
  EXPECT_THAT(bodies(), ElementsAre("body_0"));
  EXPECT_EQ(call(1), "body_0");
}

TEST_F(MergeFunctions, whatIsNotSharedIsAsItWas) {
  add(window(512));
  share();
  EXPECT_THAT(printed("body_0"), testing::HasSubstr("arith.constant 512"));
}

/// Bodies that must stay separate: the parameter with each of two numbers instead of `#`.
class StayApart : public MergeFunctions, public testing::WithParamInterface<const char *> {};

TEST_P(StayApart, whereANumberIsFasterThanARegister) {
  for (std::string number : {"7", "9"}) {
    std::string body = GetParam();
    body.replace(body.find('#'), 1, number);
    add(body);
  }
  share();
  ASSERT_THAT(bodies(), ElementsAre("body_0", "body_1"));
  EXPECT_THAT(printed("body_0"), testing::HasSubstr("constant 7"));
  EXPECT_THAT(printed("body_1"), testing::HasSubstr("constant 9"));
}

INSTANTIATE_TEST_SUITE_P(Uses, StayApart,
                         testing::Values("%c = arith.constant # : index %r = arith.muli %i, %c : index",
                                         "%c = arith.constant # : index %r = arith.divui %i, %c : index",
                                         "%c = arith.constant # : index %r = arith.remui %i, %c : index",
                                         // The address of a load: a sum, and a multiple of a sum.
                                         R"(%c = arith.constant # : index
                                            %r = arith.addi %i, %c : index
                                            %x = memref.load %p[%r] : memref<99xf32>)",
                                         R"(%c = arith.constant # : index
                                            %eight = arith.constant 8 : index
                                            %n = arith.addi %i, %c : index
                                            %r = arith.muli %n, %eight : index
                                            %x = vector.load %p[%r] : memref<99xf32>, vector<4xf32>)",
                                         R"(%c = arith.constant # : index
                                            %r = arith.subi %i, %c : index
                                            %v = memref.subview %p[%r][4][1] : memref<99xf32> to
                                              memref<4xf32, strided<[1], offset: ?>>)",
                                         // The number of iterations of a loop.
                                         R"(%c = arith.constant # : index
                                            %one = arith.constant 1 : index
                                            %r = scf.for %k = %i to %c step %one iter_args(%n = %i) -> index {
                                              %m = arith.muli %n, %k : index
                                              scf.yield %m : index
                                            })",
                                         // A constant operand.
                                         R"(%r = arith.addi %i, %i : index
                                            %c = arith.constant #.0 : f32
                                            memref.store %c, %p[%i] : memref<99xf32>)"));

TEST_F(MergeFunctions, otherStructureStaysApart) {
  add("%c = arith.constant 7 : index %r = arith.minsi %i, %c : index");
  add("%c = arith.constant 7 : index %r = arith.maxsi %i, %c : index");
  add("%c = arith.constant 7 : index %r = arith.minsi %c, %c : index");
  share();
  EXPECT_THAT(bodies(), ElementsAre("body_0", "body_1", "body_2"));
}

TEST_F(MergeFunctions, functionsThatOthersSeeStayApart) {
  add(window(512), "external");
  add(window(528), "external");
  add(window(544), "internal", "%f = func.constant @body_2 : (memref<99xf32>, index) -> index\n");
  add(window(560), "internal", "%f = func.constant @body_3 : (memref<99xf32>, index) -> index\n");
  share();
  EXPECT_THAT(bodies(), ElementsAre("body_0", "body_1", "body_2", "body_3"));
}

/// A merged function remains until calls in it are replaced, too.
TEST_F(MergeFunctions, calledFunctionsAreShared) {
  for (int size : {512, 512, 528})
    add("%r = func.call @inner_" + std::to_string(size) + "(%p, %i) : (memref<99xf32>, index) -> index");
  for (int size : {512, 528})
    text += "func.func private @inner_" + std::to_string(size) +
            "(%p: memref<99xf32>, %i: index) -> index attributes {llvm.linkage = #llvm.linkage<internal>} {\n" +
            window(size) + "\n return %r : index }\n";
  share();
  EXPECT_THAT(bodies(), ElementsAre("body_0", "body_2"));
  EXPECT_EQ(call(1), "body_0");
  EXPECT_THAT(printed("body_2"), testing::HasSubstr("call @inner_512"));
  EXPECT_FALSE(module->function("inner_528"));
}

} // namespace
