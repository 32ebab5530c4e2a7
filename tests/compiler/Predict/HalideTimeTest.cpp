// Functions of blocks with work that is countable by hand: a multiply-add takes a second, which hides everything else.
#include "compiler/Predict/HalideTime.h"
#include "tests/compiler/Predict/TestMachine.h"
#include "tests/support/ParsedModule.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

/// Returns a function of two numbers %n and %m; %a is an operand vector.
std::string function(const std::string &blocks) {
  return R"(llvm.func @k(%n: i32, %m: i32, %x: !llvm.ptr) -> i32 {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c3 = llvm.mlir.constant(3 : i32) : i32
    %yes = llvm.mlir.constant(true) : i1
    %no = llvm.mlir.constant(false) : i1
    %a = llvm.mlir.constant(dense<1.5> : vector<16xf32>) : vector<16xf32>
    )" + blocks +
         "\n}";
}

HalideTime::Answer answerOf(const std::string &blocks, Number n, Number m = Number::known(0)) {
  ParsedModule module(function(blocks));
  EXPECT_TRUE(bool(module)) << module.diagnostics();
  auto parsed = *module.get().getOps<mlir::LLVM::LLVMFuncOp>().begin();
  HalideTime::simplify(parsed);
  return HalideTime(testMachine()).costOf(parsed, {n, m, Number()});
}

double secondsOfBlocks(const std::string &blocks, int64_t n, int64_t m = 0) {
  HalideTime::Answer answer = answerOf(blocks, Number::known(n), Number::known(m));
  EXPECT_TRUE(answer.cost.has_value());
  return answer.cost ? answer.cost->seconds : -1;
}

/// A multiply-add as two instructions, which the back end fuses.
const std::string multiplyAdd = R"(
    %product = llvm.fmul %a, %a : vector<16xf32>
    %more = llvm.fadd %sum, %product : vector<16xf32>
)";

/// Returns a loop from %n that ends if `condition` of %next and %m is true.
std::string loopUntil(const std::string &step, const std::string &condition) {
  return "llvm.br ^loop(%n, %a : i32, vector<16xf32>)\n^loop(%i: i32, %sum: vector<16xf32>):" + multiplyAdd +
         "%next = llvm." + step + " : i32\n%done = llvm.icmp \"" + condition + "\" %next, %m : i32\n" +
         "llvm.cond_br %done, ^exit, ^loop(%next, %more : i32, vector<16xf32>)\n^exit:\nllvm.return %c0 : i32";
}

TEST(HalideTime, CountsTurns) {
  EXPECT_NEAR(secondsOfBlocks(loopUntil("add %i, %c1", "eq"), 0, 10), 10, 1e-3);
  EXPECT_NEAR(secondsOfBlocks(loopUntil("add %i, %c3", "sge"), 0, 10), 4, 1e-3);
  EXPECT_NEAR(secondsOfBlocks(loopUntil("add %i, %c3", "sgt"), 0, 9), 4, 1e-3);
  EXPECT_NEAR(secondsOfBlocks(loopUntil("sub %i, %c1", "sle"), 10, 0), 10, 1e-3);
  EXPECT_NEAR(secondsOfBlocks(loopUntil("add %i, %c1", "eq"), 0, 100000), 100000, 1);
}

/// The first loop has %n iterations without work and ends where the second begins; the second tests before its body.
TEST(HalideTime, WalksLoopsInARow) {
  std::string blocks = R"(llvm.br ^first(%c0 : i32)
  ^first(%i: i32):
    %next = llvm.add %i, %c1 : i32
    %done = llvm.icmp "eq" %next, %n : i32
    llvm.cond_br %done, ^between(%next : i32), ^first(%next : i32)
  ^between(%begin: i32):
    llvm.br ^second(%begin, %a : i32, vector<16xf32>)
  ^second(%j: i32, %sum: vector<16xf32>):
    %ends = llvm.icmp "sge" %j, %m : i32
    llvm.cond_br %ends, ^exit, ^work
  ^work:)" + multiplyAdd +
                       R"(
    %behind = llvm.add %j, %c1 : i32
    llvm.br ^second(%behind, %more : i32, vector<16xf32>)
  ^exit:
    llvm.return %c0 : i32)";
  for (int64_t step : {1, 2, 3, 7})
    EXPECT_NEAR(secondsOfBlocks(blocks, step, 10), double(10 - step), 1e-3) << step;
}

TEST(HalideTime, FollowsWhatIsNoNumberOfTurns) {
  // Two iterations: one with the flag, one without.
  std::string blocks =
      "llvm.br ^loop(%yes, %a : i1, vector<16xf32>)\n^loop(%again: i1, %sum: vector<16xf32>):" + multiplyAdd + R"(
    llvm.cond_br %again, ^loop(%no, %more : i1, vector<16xf32>), ^exit
  ^exit:
    llvm.return %c0 : i32)";
  EXPECT_NEAR(secondsOfBlocks(blocks, 0), 2, 1e-3);
}

TEST(HalideTime, WalksLoopsInLoops) {
  // %m outer iterations, of which iteration %i has %n + %i inner ones: the mean is that of the middle iteration.
  std::string blocks = R"(llvm.br ^outer(%c0 : i32)
  ^outer(%i: i32):
    %to = llvm.add %n, %i : i32
    llvm.br ^loop(%c0, %a : i32, vector<16xf32>)
  ^loop(%j: i32, %sum: vector<16xf32>):)" +
                       multiplyAdd + R"(
    %nextInner = llvm.add %j, %c1 : i32
    %doneInner = llvm.icmp "eq" %nextInner, %to : i32
    llvm.cond_br %doneInner, ^behind, ^loop(%nextInner, %more : i32, vector<16xf32>)
  ^behind:
    %next = llvm.add %i, %c1 : i32
    %done = llvm.icmp "eq" %next, %m : i32
    llvm.cond_br %done, ^exit, ^outer(%next : i32)
  ^exit:
    llvm.return %c0 : i32)";
  EXPECT_NEAR(secondsOfBlocks(blocks, 10, 5), 60, 1e-3);
}

TEST(HalideTime, GoesWhereNumbersLead) {
  std::string blocks = R"(%any = llvm.icmp "sgt" %n, %c0 : i32
    %none = llvm.xor %any, %yes : i1
    llvm.cond_br %none, ^exit, ^work(%a : vector<16xf32>)
  ^work(%sum: vector<16xf32>):)" +
                       multiplyAdd +
                       "llvm.store %more, %x : vector<16xf32>, !llvm.ptr\nllvm.br ^exit\n^exit:\nllvm.return %c0 : i32";
  EXPECT_NEAR(secondsOfBlocks(blocks, 0), 0, 1e-3);
  EXPECT_NEAR(secondsOfBlocks(blocks, 1), 1, 1e-3);
}

TEST(HalideTime, CountsHalfOfWhatDataDecides) {
  std::string blocks = R"(%flag = llvm.load %x : !llvm.ptr -> i1
    llvm.cond_br %flag, ^exit, ^work(%a : vector<16xf32>)
  ^work(%sum: vector<16xf32>):)" +
                       multiplyAdd +
                       "llvm.store %more, %x : vector<16xf32>, !llvm.ptr\nllvm.br ^exit\n^exit:\nllvm.return %c0 : i32";
  EXPECT_NEAR(secondsOfBlocks(blocks, 1), 0.5, 1e-3);
}

TEST(HalideTime, CountsWhatIsFilled) {
  std::string blocks = R"(%zero = llvm.mlir.constant(0 : i8) : i8
    %bytes = llvm.zext %n : i32 to i64
    "llvm.intr.memset"(%x, %zero, %bytes) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> ()
    llvm.return %c0 : i32)";
  HalideTime::Answer answer = answerOf(blocks, Number::known(6400));
  ASSERT_TRUE(answer.cost.has_value());
  EXPECT_EQ(answer.cost->stored, 6400);
  EXPECT_NEAR(answer.cost->seconds, 100e-9, 20e-9);
}

/// Truth values that are extended and truncated again, and selections that constants decide.
TEST(HalideTime, DoesNotCountWhatFolds) {
  std::string blocks = R"(%zeros = llvm.mlir.constant(dense<0> : vector<16xi32>) : vector<16xi32>
    %floats = llvm.mlir.constant(dense<0.0> : vector<16xf32>) : vector<16xf32>
    %v = llvm.load %x : !llvm.ptr -> vector<16xf32>
    %w = llvm.load %x : !llvm.ptr -> vector<16xf32>
    %flags = arith.cmpf oeq, %v, %w : vector<16xf32>
    %wide = arith.extui %flags : vector<16xi1> to vector<16xi32>
    %again = llvm.icmp "ne" %wide, %zeros : vector<16xi32>
    %once = llvm.zext %again : vector<16xi1> to vector<16xi32>
    %more = arith.trunci %once : vector<16xi32> to vector<16xi1>
    %r = arith.select %more, %v, %floats : vector<16xi1>, vector<16xf32>
    %never = arith.trunci %zeros : vector<16xi32> to vector<16xi1>
    %quotient = llvm.fdiv %v, %r : vector<16xf32>
    %s = arith.select %never, %quotient, %r : vector<16xi1>, vector<16xf32>
    llvm.store %s, %x : vector<16xf32>, !llvm.ptr
    llvm.return %c0 : i32)";
  HalideTime::Answer answer = answerOf(blocks, Number::known(0));
  ASSERT_TRUE(answer.cost.has_value());
  EXPECT_NEAR(answer.cost->seconds, 2, 1e-3); // a comparison and a selection
  EXPECT_EQ(answer.cost->loaded, 64);
}

/// Additions and clamps of a subscript from data count as instructions; those of an index do not.
TEST(HalideTime, CountsArithmeticOnData) {
  auto instructionsOf = [](const std::string &number) {
    HalideTime::Answer answer = answerOf(number + R"(
      %less = llvm.icmp "slt" %i, %m : i32
      %least = llvm.select %less, %i, %m : i1, i32
      %next = llvm.add %least, %c1 : i32
      %wide = llvm.sext %next : i32 to i64
      %at = llvm.getelementptr %x[%wide] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %at : !llvm.ptr -> f32
      llvm.store %v, %x : f32, !llvm.ptr
      llvm.return %c0 : i32)",
                                         Number::known(0));
    EXPECT_TRUE(answer.cost.has_value());
    return answer.cost ? answer.cost->instructions : -1;
  };
  // A load, a store, the branch; half of the comparison and half of the selection.
  EXPECT_EQ(instructionsOf("%i = llvm.mul %n, %c3 : i32"), 4);
  // Another load; the comparison, the selection and the addition.
  EXPECT_EQ(instructionsOf("%i = llvm.load %x : !llvm.ptr -> i32"), 7);
}

TEST(HalideTime, SaysWhyTurnsAreNotKnown) {
  std::string blocks = loopUntil("add %i, %c1", "eq");
  HalideTime::Answer ofData = answerOf(blocks, Number::known(0), Number());
  EXPECT_FALSE(ofData.cost);
  EXPECT_FALSE(ofData.varies);
  HalideTime::Answer ofChunk = answerOf(blocks, Number::known(0), Number::varies());
  EXPECT_FALSE(ofChunk.cost);
  EXPECT_TRUE(ofChunk.varies);
}

} // namespace
} // namespace attnc
