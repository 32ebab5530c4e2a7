// Small phases with work that is countable by hand: a multiply-add takes a second, which hides everything else.
#include "compiler/Predict/CodeTime.h"
#include "tests/compiler/Predict/TestMachine.h"
#include "tests/support/ParsedModule.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

/// Returns a phase with this body, one buffer, one size and its chunk.
std::string phase(const std::string &body) {
  return R"(func.func private @k.body(%x: !llvm.ptr, %size: i64, %number: i64, %scratch: !llvm.ptr, %shared: !llvm.ptr,
      %status: !llvm.ptr) {
    %n = arith.index_cast %size : i64 to index
    %chunk = arith.index_cast %number : i64 to index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %a = arith.constant dense<1.5> : vector<16xf32>
    %m = builtin.unrealized_conversion_cast %x : !llvm.ptr to memref<?xf32>
    )" + body +
         R"(
    return
  })";
}

/// Stores a vector, which would otherwise be dead code.
std::string kept(const std::string &name) {
  return "\nvector.store " + name + ", %m[%c0] : memref<?xf32>, vector<16xf32>\n";
}

/// A loop from 0 to %to by %step that carries one vector and computes one multiply-add.
std::string loop(const std::string &to, const std::string &step) {
  return "%s = scf.for %i = %c0 to " + to + " step " + step + R"( iter_args(%sum = %a) -> (vector<16xf32>) {
      %next = vector.fma %a, %a, %sum : vector<16xf32>
      scf.yield %next : vector<16xf32>
    })" + kept("%s");
}

std::optional<PhaseCost> costOf(const std::string &code, int64_t size, int64_t chunks,
                                Machine machine = testMachine()) {
  ParsedModule module(code);
  EXPECT_TRUE(bool(module)) << module.diagnostics();
  auto target = Target::resolve("x86-64-v4");
  EXPECT_TRUE(bool(target));
  return CodeTime(module.get(), *target, machine).costOf("k", size, chunks);
}

double secondsOf(const std::string &body, int64_t size, int64_t chunks = 1) {
  auto cost = costOf(phase(body), size, chunks);
  EXPECT_TRUE(cost.has_value());
  return cost ? cost->seconds : -1;
}

TEST(CodeTime, CountsIterations) {
  EXPECT_NEAR(secondsOf(loop("%n", "%c1"), 10), 10, 1e-3);
  EXPECT_NEAR(secondsOf(loop("%n", "%c4"), 10), 3, 1e-3); // the last iteration is partial
  EXPECT_NEAR(secondsOf(loop("%n", "%c4"), 0), 0, 1e-3);
  EXPECT_NEAR(secondsOf(loop("%n", "%c1"), 10, 7), 70, 1e-3);
  EXPECT_NEAR(secondsOf(loop("%n", "%c1"), 100000), 100000, 1);
}

TEST(CodeTime, FollowsBoundsThatDependOnIndices) {
  // Lengths below a causal mask: 1 + 2 + ... + n.
  EXPECT_NEAR(secondsOf("%to = arith.addi %chunk, %c1 : index\n" + loop("%to", "%c1"), 0, 20), 210, 1e-2);
  // A sample of many chunks has the same mean.
  EXPECT_NEAR(secondsOf("%to = arith.addi %chunk, %c1 : index\n" + loop("%to", "%c1"), 0, 1000), 500500, 1000);
}

TEST(CodeTime, TakesTheArmThatSizesChoose) {
  std::string body = R"(%few = arith.cmpi slt, %n, %c4 : index
    scf.if %few { )" +
                     loop("%n", "%c1") + "\n} else {\n %t = arith.muli %n, %c4 : index\n" + loop("%t", "%c1") + "\n}";
  EXPECT_NEAR(secondsOf(body, 3), 3, 1e-3);
  EXPECT_NEAR(secondsOf(body, 5), 20, 1e-3);
}

TEST(CodeTime, CountsHalfOfWhatDataDecides) {
  std::string body = R"(%flag = llvm.load %x : !llvm.ptr -> i1
    scf.if %flag { )" +
                     loop("%n", "%c1") + "\n}";
  EXPECT_NEAR(secondsOf(body, 100), 50, 1.1);
}

TEST(CodeTime, TakesTheFasterArmWhereDataDecides) {
  std::string body = R"(%flag = llvm.load %x : !llvm.ptr -> i1
    %far = arith.muli %n, %c4 : index
    scf.if %flag { )" +
                     loop("%far", "%c1") + "\n} else {\n" + loop("%n", "%c1") + "\n}";
  EXPECT_NEAR(secondsOf(body, 100), 100, 1.1);
}

/// A length from data is estimated as half of its bound.
TEST(CodeTime, BoundsLengthsFromDataByWhatTheyAreComparedWith) {
  std::string body = R"(%length = llvm.load %x : !llvm.ptr -> i64
    %index = arith.index_cast %length : i64 to index
    %least = arith.minsi %index, %n : index
    )" + loop("%least", "%c1");
  EXPECT_NEAR(secondsOf(body, 50), 25, 1.1);
}

/// The tiles of a length from data are half of all tiles, and full.
TEST(CodeTime, HalvesLengthsFromDataOnce) {
  std::string body = R"(%length = llvm.load %x : !llvm.ptr -> i64
    %index = arith.index_cast %length : i64 to index
    %least = arith.minsi %index, %n : index
    scf.for %tile = %c0 to %least step %c4 {
      %left = arith.subi %least, %tile : index
      %few = arith.minsi %left, %c4 : index
      )" + loop("%few", "%c1") +
                     "}";
  EXPECT_NEAR(secondsOf(body, 48), 24, 1e-3);
}

/// Additions and clamps of a subscript from data count as instructions; those of an index do not.
TEST(CodeTime, CountsArithmeticOnData) {
  auto instructionsOf = [](const std::string &number) {
    auto cost = costOf(phase(number + R"(
      %least = arith.minsi %i, %n : index
      %next = arith.addi %least, %c1 : index
      %v = memref.load %m[%next] : memref<?xf32>
      memref.store %v, %m[%c0] : memref<?xf32>)"),
                       0, 1);
    EXPECT_TRUE(cost.has_value());
    return cost ? cost->instructions : -1;
  };
  double ofIndex = instructionsOf("%i = arith.muli %n, %c4 : index");
  // A load; 2 instead of 0.5 for the minimum; the addition.
  EXPECT_EQ(instructionsOf(R"(%loaded = llvm.load %x : !llvm.ptr -> i32
      %i = arith.index_cast %loaded : i32 to index)"),
            ofIndex + 1 + 1.5 + 1);
}

/// Ten chained multiply-adds after a load: twenty iterations are in flight at a time.
TEST(CodeTime, HasRoomForSoManyThatWait) {
  Machine machine = testMachine();
  machine.fma = machine.arithmetic = machine.narrow = 1e9;
  machine.latency = machine.sumLatency = 1;
  std::string body = "scf.for %i = %c0 to %n step %c1 {\n%v0 = vector.load %m[%i] : memref<?xf32>, vector<16xf32>\n";
  for (int each = 0; each < 10; ++each) {
    std::string from = "%v" + std::to_string(each), to = "%v" + std::to_string(each + 1);
    body += to + " = vector.fma " + from + ", " + from + ", " + from + " : vector<16xf32>\n";
  }
  body += "vector.store %v10, %m[%i] : memref<?xf32>, vector<16xf32>\n}";
  auto cost = costOf(phase(body), 100, 1, machine);
  ASSERT_TRUE(cost.has_value());
  EXPECT_NEAR(cost->seconds, 100 * 12.0 / 20, 1e-3);
}

TEST(CodeTime, StoresEachElementThatIsScattered) {
  Machine machine = testMachine();
  machine.store = 1;
  const std::string scatter = R"(%places = arith.constant dense<3> : vector<16xi32>
    %mask = arith.constant dense<true> : vector<16xi1>
    vector.scatter %m[%c0] [%places], %mask, %a : memref<?xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32>)";
  auto cost = costOf(phase(scatter), 0, 1, machine);
  ASSERT_TRUE(cost.has_value());
  EXPECT_NEAR(cost->seconds, 16, 1e-3);
}

TEST(CodeTime, FollowsRoutines) {
  std::string code =
      R"(func.func private @routine(%x: !llvm.ptr, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = arith.constant dense<1.5> : vector<16xf32>
    %m = builtin.unrealized_conversion_cast %x : !llvm.ptr to memref<?xf32>
    )" +
      loop("%n", "%c1") + "\nreturn\n}\n" +
      phase("call @routine(%x, %n) : (!llvm.ptr, index) -> ()\ncall @routine(%x, %c4) : (!llvm.ptr, index) -> ()");
  auto cost = costOf(code, 10, 1);
  ASSERT_TRUE(cost.has_value());
  EXPECT_NEAR(cost->seconds, 14, 1e-3);
}

TEST(CodeTime, FusesProductsIntoSums) {
  EXPECT_NEAR(
      secondsOf("%p = arith.mulf %a, %a : vector<16xf32>\n%q = arith.addf %p, %a : vector<16xf32>" + kept("%q"), 0), 1,
      1e-3);
  // A product with two uses is not fused.
  EXPECT_NEAR(
      secondsOf("%p = arith.mulf %a, %a : vector<16xf32>\n%q = arith.addf %p, %p : vector<16xf32>" + kept("%q"), 0), 2,
      1e-3);
  EXPECT_NEAR(secondsOf("%p = arith.divf %a, %a : vector<16xf32>" + kept("%p"), 0), 10, 1e-3);
  EXPECT_NEAR(secondsOf("%b = arith.constant dense<1.5> : vector<8xf32>\n%p = arith.divf %b, %b : vector<8xf32>\n"
                        "vector.store %p, %m[%c0] : memref<?xf32>, vector<8xf32>",
                        0),
              5, 1e-3);
  EXPECT_NEAR(secondsOf("%p = math.sqrt %a : vector<16xf32>" + kept("%p"), 0), 20, 1e-3);
}

/// Rows of three floats: a vector load overlaps the vector that was stored for the previous row.
TEST(CodeTime, WaitsForPartsOfVectorsThatAreChangedInPlace) {
  std::string rows = R"(%c3 = arith.constant 3 : index
    %mask = vector.create_mask %c3 : vector<16xi1>
    scf.for %i = %c0 to %n step %c1 {
      %at = arith.muli %i, %c3 : index
      %v = vector.maskedload %m[%at], %mask, %a : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
      vector.maskedstore %m[%at], %mask, %v : memref<?xf32>, vector<16xi1>, vector<16xf32>
    })";
  Machine machine = testMachine();
  machine.fma = machine.arithmetic = machine.narrow = 1e9;
  machine.forward = 2;
  std::string code = phase(rows), apart = code;
  apart.replace(apart.find("%x: !llvm.ptr"), 13, "%x: !llvm.ptr {llvm.noalias}");
  auto inPlace = costOf(code, 10, 1, machine), elsewhere = costOf(apart, 10, 1, machine);
  ASSERT_TRUE(inPlace && elsewhere);
  EXPECT_NEAR(inPlace->seconds, 20, 1e-3);
  EXPECT_LT(elsewhere->seconds, 1e-3);
  // Rows of whole vectors do not overlap.
  std::string whole = code;
  whole.replace(whole.find("constant 3"), 10, "constant 16");
  auto filled = costOf(whole, 10, 1, machine);
  ASSERT_TRUE(filled.has_value());
  EXPECT_LT(filled->seconds, 1e-3);
}

TEST(CodeTime, KnowsWholeVectorsFromHalves) {
  Machine machine = testMachine();
  machine.narrow = 4;
  auto costOfSum = [&](const std::string &type) {
    std::string code = "%b = arith.constant dense<1.5> : " + type + "\n%p = arith.addf %b, %b : " + type +
                       "\nvector.store %p, %m[%c0] : memref<?xf32>, " + type;
    auto cost = costOf(phase(code), 0, 1, machine);
    EXPECT_TRUE(cost.has_value());
    return cost.value_or(PhaseCost());
  };
  PhaseCost whole = costOfSum("vector<16xf32>"), half = costOfSum("vector<8xf32>");
  EXPECT_TRUE(whole.isWide);
  EXPECT_NEAR(whole.seconds, 1, 1e-3);
  EXPECT_FALSE(half.isWide);
  EXPECT_NEAR(half.seconds, 0.25, 1e-3);
}

/// A scalar of a row, alone and beside whole vectors.
TEST(CodeTime, LeavesWhatIsNarrowHalfOfThePortsBesideWholeVectors) {
  const std::string number = "%v = memref.load %m[%c0] : memref<?xf32>\n%p = arith.mulf %v, %v : f32\n"
                             "memref.store %p, %m[%c1] : memref<?xf32>\n";
  const std::string whole = "%w = vector.fma %a, %a, %a : vector<16xf32>" + kept("%w");
  EXPECT_NEAR(secondsOf(number, 0), 1, 1e-3);
  EXPECT_NEAR(secondsOf(whole, 0), 1, 1e-3);
  EXPECT_NEAR(secondsOf(number + whole, 0), 3, 1e-3);
}

TEST(CodeTime, TakesLongerForQuotientsOfDoubles) {
  EXPECT_NEAR(secondsOf("%d = arith.constant dense<1.5> : vector<16xf64>\n%q = arith.divf %d, %d : vector<16xf64>\n"
                        "%f = arith.truncf %q : vector<16xf64> to vector<16xf32>" +
                            kept("%f"),
                        0),
              32, 1e-3); // two vectors of 1.6 times the time
}

TEST(CodeTime, PutsLoadedVectorsBehindOthersWithoutShuffles) {
  Machine machine = testMachine();
  machine.arithmetic = machine.narrow = 1e9;
  machine.shuffle = 1;
  auto joined = [&](const std::string &mask) {
    std::string code = "%u = vector.load %m[%c0] : memref<?xf32>, vector<8xf32>\n"
                       "%v = vector.load %m[%c4] : memref<?xf32>, vector<8xf32>\n"
                       "%j = vector.shuffle %u, %v " +
                       mask + " : vector<8xf32>, vector<8xf32>" + kept("%j");
    auto cost = costOf(phase(code), 0, 1, machine);
    EXPECT_TRUE(cost.has_value());
    return cost ? cost->seconds : -1;
  };
  EXPECT_LT(joined("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]"), 1e-3);
  EXPECT_NEAR(joined("[0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]"), 1, 1e-3);
}

TEST(CodeTime, CountsVectorsInTwoLinesTwice) {
  Machine machine = testMachine();
  machine.load = 1;
  auto load = [&](const std::string &type) {
    std::string code = "%rows = builtin.unrealized_conversion_cast %x : !llvm.ptr to " + type +
                       "\n%v = vector.load %rows[%n, %c0] : " + type + ", vector<16xf32>" + kept("%v");
    auto cost = costOf(phase(code), 3, 1, machine);
    EXPECT_TRUE(cost.has_value());
    return cost ? cost->seconds : -1;
  };
  EXPECT_NEAR(load("memref<?x128xf32>"), 1, 1e-3);
  EXPECT_NEAR(load("memref<?x100xf32>"), 1.75, 1e-3); // rows begin at multiples of 16 bytes
}

/// The work depends on the chunk's index modulo 8, of which the middles of equal parts would sample one value.
TEST(CodeTime, SamplesIndicesThatHaveAPeriod) {
  std::string body = R"(%c8 = arith.constant 8 : index
    %place = arith.remui %chunk, %c8 : index
    )" + loop("%place", "%c1");
  EXPECT_NEAR(secondsOf(body, 0, 192), 192 * 3.5, 192 * 0.35);
}

TEST(CodeTime, SaysHowMuchCodeRuns) {
  std::string two = R"(%few = arith.cmpi slt, %n, %c4 : index
    scf.if %few { )" +
                    loop("%n", "%c1") + "\n}";
  auto with = costOf(phase(two), 3, 1), without = costOf(phase(two), 5, 1);
  ASSERT_TRUE(with && without);
  auto bytes = [](const PhaseCost &cost) { return cost.code.at(0).end - cost.code.at(0).begin; };
  EXPECT_GT(bytes(*with), bytes(*without));
  EXPECT_GT(bytes(*without), 0);
}

TEST(CodeTime, LaysCodeOutAsTheModuleHasIt) {
  std::string routine = R"(func.func private @routine(%x: !llvm.ptr, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = arith.constant dense<1.5> : vector<16xf32>
    %m = builtin.unrealized_conversion_cast %x : !llvm.ptr to memref<?xf32>
    )" + loop("%n", "%c1") +
                        "\nreturn\n}\n";
  std::string other = R"(llvm.func @other(%n: i64) {
    %sum = llvm.add %n, %n : i64
    %more = llvm.or %sum, %n : i64
    llvm.return
  }
)";
  std::string body = "call @routine(%x, %n) : (!llvm.ptr, index) -> ()\nllvm.call @other(%size) : (i64) -> ()\n";
  auto cost = costOf(routine + other + phase(body + loop("%n", "%c1")), 10, 1);
  ASSERT_TRUE(cost.has_value());
  std::vector<CodeRange> code = cost->code;
  ASSERT_EQ(code.size(), 3u);
  llvm::sort(code, [](const CodeRange &a, const CodeRange &b) { return a.begin < b.begin; });
  EXPECT_EQ(code[0].begin, 0);
  for (const CodeRange &range : code)
    EXPECT_GT(range.end, range.begin);
  EXPECT_GE(code[1].begin, code[0].end);
  EXPECT_GE(code[2].begin, code[1].end);
}

TEST(CodeTime, WaitsForWhatALoopHandsOn) {
  Machine machine = testMachine();
  machine.fma = machine.arithmetic = machine.narrow = 1e9;
  machine.latency = 1;
  auto serial = costOf(phase(loop("%n", "%c1")), 10000, 1, machine);
  ASSERT_TRUE(serial.has_value());
  EXPECT_NEAR(serial->seconds, 10000, 2);
}

TEST(CodeTime, CountsBytes) {
  auto cost = costOf(phase(R"(scf.for %i = %c0 to %n step %c4 {
      %v = vector.load %m[%i] : memref<?xf32>, vector<16xf32>
      vector.store %v, %m[%i] : memref<?xf32>, vector<16xf32>
    })"),
                     40, 1);
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->loaded, 640);
  EXPECT_EQ(cost->stored, 640);
}

TEST(CodeTime, CountsWhatMemsetWrites) {
  auto cost = costOf(phase(R"(%zero = llvm.mlir.constant(0 : i8) : i8
    %bytes = arith.muli %size, %size : i64
    "llvm.intr.memset"(%x, %zero, %bytes) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> ())"),
                     40, 1);
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->loaded, 0);
  EXPECT_EQ(cost->stored, 1600);
}

TEST(CodeTime, DoesNotKnowWhatIsNotStructured) {
  std::string code = "llvm.func @other()\n" + phase("llvm.call @other() : () -> ()");
  EXPECT_FALSE(costOf(code, 1, 1).has_value());
  EXPECT_FALSE(costOf("func.func private @other()", 1, 1).has_value());
}

} // namespace
} // namespace attnc
