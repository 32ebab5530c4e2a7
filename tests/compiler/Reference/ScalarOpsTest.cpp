// Compares each scalar op with its value in C or by arithmetic.
#include "attn/random.h"
#include "tests/compiler/Reference/Interpret.h"

using namespace attnc::reference;

namespace {

struct Scalar {
  const char *op; ///< operands are %a, %b, %c
  const char *operandType;
  const char *resultType;
  std::vector<double> operands;
  double expected;
};

void PrintTo(const Scalar &scalar, std::ostream *stream) { *stream << scalar.op; }

class ScalarOps : public testing::TestWithParam<Scalar> {};

TEST_P(ScalarOps, GivesItsValue) {
  const Scalar &scalar = GetParam();
  std::string text = "func.func @f(";
  std::vector<Array> inputs;
  Element element = scalar.operandType[0] == 'f'               ? Element::F32
                    : std::string(scalar.operandType) == "i32" ? Element::I32
                    : std::string(scalar.operandType) == "i1"  ? Element::I1
                                                               : Element::Index;
  for (size_t i = 0; i < scalar.operands.size(); ++i) {
    text += std::string(i ? ", %" : "%") + "abc"[i] + ": " + scalar.operandType;
    inputs.push_back(Array::scalar(element, scalar.operands[i]));
  }
  text +=
      std::string(") -> ") + scalar.resultType + " { %r = " + scalar.op + " return %r : " + scalar.resultType + " }";
  expectArray(interpretText(text, inputs)[0], {}, {scalar.expected});
}

const Scalar floats_[] = {
    {"arith.subf %a, %b : f32", "f32", "f32", {1, 0.25}, 0.75},
    {"arith.divf %a, %b : f32", "f32", "f32", {1, 0}, infinity},
    {"arith.remf %a, %b : f32", "f32", "f32", {-7, 4}, -3},
    {"arith.negf %a : f32", "f32", "f32", {3}, -3},
    {"arith.maximumf %a, %b : f32", "f32", "f32", {notANumber, 1}, notANumber},
    {"arith.maxnumf %a, %b : f32", "f32", "f32", {notANumber, 1}, 1},
    {"arith.minimumf %a, %b : f32", "f32", "f32", {2, -1}, -1},
    {"arith.cmpf ogt, %a, %b : f32", "f32", "i1", {2, 1}, 1},
    {"arith.cmpf ogt, %a, %b : f32", "f32", "i1", {notANumber, 1}, 0},
    {"arith.cmpf ugt, %a, %b : f32", "f32", "i1", {notANumber, 1}, 1},
    {"arith.cmpf one, %a, %b : f32", "f32", "i1", {1, 1}, 0},
    {"arith.cmpf uno, %a, %b : f32", "f32", "i1", {1, notANumber}, 1},
    {"math.exp %a : f32", "f32", "f32", {1}, 2.718281828459045},
    {"math.exp2 %a : f32", "f32", "f32", {-3}, 0.125},
    {"math.expm1 %a : f32", "f32", "f32", {1e-20}, 1e-20},
    {"math.log %a : f32", "f32", "f32", {0}, -infinity},
    {"math.log1p %a : f32", "f32", "f32", {1e-20}, 1e-20},
    {"math.log2 %a : f32", "f32", "f32", {8}, 3},
    {"math.tanh %a : f32", "f32", "f32", {0.5}, 0.46211715726000973},
    {"math.erf %a : f32", "f32", "f32", {0.5}, 0.5204998778130465},
    {"math.sin %a : f32", "f32", "f32", {0.5}, 0.479425538604203},
    {"math.cos %a : f32", "f32", "f32", {0.5}, 0.8775825618903728},
    {"math.rsqrt %a : f32", "f32", "f32", {4}, 0.5},
    {"math.sqrt %a : f32", "f32", "f32", {2}, 1.4142135623730951},
    {"math.powf %a, %b : f32", "f32", "f32", {2, -0.5}, 0.7071067811865476},
    {"math.floor %a : f32", "f32", "f32", {-0.5}, -1},
    {"math.ceil %a : f32", "f32", "f32", {-0.5}, -0.0},
    {"math.round %a : f32", "f32", "f32", {2.5}, 3},
    {"math.roundeven %a : f32", "f32", "f32", {2.5}, 2},
    {"math.absf %a : f32", "f32", "f32", {-2}, 2},
    {"math.fma %a, %b, %c : f32", "f32", "f32", {2, 3, 4}, 10},
    {"math.copysign %a, %b : f32", "f32", "f32", {2, -3}, -2},
    {"arith.fptosi %a : f32 to i32", "f32", "i32", {-2.75}, -2},
    {"arith.fptosi %a : f32 to i32", "f32", "i32", {3e9}, 2147483647},
    {"arith.fptosi %a : f32 to i32", "f32", "i32", {-INFINITY}, -2147483648.0},
    {"arith.fptosi %a : f32 to i32", "f32", "i32", {NAN}, 0},
};
INSTANTIATE_TEST_SUITE_P(Floats, ScalarOps, testing::ValuesIn(floats_));

const Scalar integers_[] = {
    {"arith.addi %a, %b : i32", "i32", "i32", {2147483647, 1}, -2147483648.0},
    {"arith.muli %a, %b : i32", "i32", "i32", {65536, 65537}, 65536},
    {"arith.divsi %a, %b : i32", "i32", "i32", {-7, 2}, -3},
    {"arith.remsi %a, %b : i32", "i32", "i32", {-7, 2}, -1},
    {"arith.floordivsi %a, %b : i32", "i32", "i32", {-7, 2}, -4},
    {"arith.ceildivsi %a, %b : i32", "i32", "i32", {7, 2}, 4},
    {"arith.divui %a, %b : i32", "i32", "i32", {-1, 2}, 2147483647},
    {"arith.shrui %a, %b : i32", "i32", "i32", {-1, 28}, 15},
    {"arith.shrsi %a, %b : i32", "i32", "i32", {-16, 2}, -4},
    {"arith.shli %a, %b : i32", "i32", "i32", {1, 31}, -2147483648.0},
    {"arith.xori %a, %b : i32", "i32", "i32", {5, 3}, 6},
    {"arith.maxsi %a, %b : i32", "i32", "i32", {-1, 1}, 1},
    {"arith.maxui %a, %b : i32", "i32", "i32", {-1, 1}, -1},
    {"arith.cmpi slt, %a, %b : i32", "i32", "i1", {-1, 1}, 1},
    {"arith.cmpi ult, %a, %b : i32", "i32", "i1", {-1, 1}, 0},
    {"math.ipowi %a, %b : i32", "i32", "i32", {-3, 5}, -243},
    {"math.ipowi %a, %b : i32", "i32", "i32", {2, -1}, 0},
    {"math.absi %a : i32", "i32", "i32", {-5}, 5},
    {"arith.sitofp %a : i32 to f32", "i32", "f32", {-5}, -5},
    {"arith.uitofp %a : i32 to f32", "i32", "f32", {-1}, 4294967295.0},
    {"arith.index_cast %a : i32 to index", "i32", "index", {-5}, -5},
    {"arith.index_cast %a : index to i32", "index", "i32", {7}, 7},
    {"arith.addi %a, %b : index", "index", "index", {4294967296, 1}, 4294967297},
    {"arith.floordivsi %a, %b : index", "index", "index", {-1, 4}, -1},
    {"affine.apply affine_map<(d0, d1) -> (d0 floordiv 4 + d1 mod 3)>(%a, %b)", "index", "index", {9, 5}, 4},
    {"affine.min affine_map<(d0, d1) -> (d0, d1 * 2)>(%a, %b)", "index", "index", {9, 4}, 8},
    {"arith.andi %a, %b : i1", "i1", "i1", {1, 0}, 0},
    {"arith.extui %a : i1 to i32", "i1", "i32", {1}, 1},
    {"arith.extsi %a : i1 to i32", "i1", "i32", {1}, -1},
    {"arith.uitofp %a : i1 to f32", "i1", "f32", {1}, 1},
    {"arith.select %a, %b, %c : i1", "i1", "i1", {0, 0, 1}, 1},
};
INSTANTIATE_TEST_SUITE_P(Integers, ScalarOps, testing::ValuesIn(integers_));

/// The words of attn/random.h give the layout of a draw's key.
TEST(Draws, AreWordsOfTheRuntime) {
  std::string text = R"(func.func @f(%seed: i32, %step: i32, %place: i32, %row: i32, %column: i32) -> f32 {
      %r = attn.uniform %seed, %step, %place at [%row, %column] site 77 : i32 -> f32
      return %r : f32 })";
  for (int32_t column : {0, 1, 2, 3, 4, 1001, -1})
    for (int32_t other : {0, 1, 65536, -1}) {
      int32_t key[] = {other, other / 3, 5, other / 7, column};
      std::vector<Array> inputs;
      for (int32_t word : key)
        inputs.push_back(integers({}, {double(word)}));
      auto join = [](uint32_t low, uint32_t high) { return low | static_cast<uint64_t>(high) << 32; };
      uint32_t words[4];
      attn_random_words(join(key[0], 77), join(key[1], key[2]), join(uint32_t(column) / 4, key[3]), words);
      expectArray(interpretText(text, inputs)[0], {}, {(words[uint32_t(column) % 4] >> 8) * 0x1p-24});
    }
}

TEST(ScalarErrors, DivisionByZeroHasAPlace) {
  std::string text = R"(func.func @f(%a: i32, %b: i32) -> i32 {
      %r = arith.divsi %a, %b : i32 loc("gpt.attn":31:14)
      return %r : i32 })";
  EXPECT_EQ(errorOf(text, {integers({}, {1}), integers({}, {0})}),
            "gpt.attn:31:14: arith.divsi: an integer division by zero");
}

} // namespace
