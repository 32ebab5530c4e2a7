// Tests which modules from files are rejected, with locations, and which similar modules are accepted.
#include "compiler/Pipeline/CheckModule.h"
#include "compiler/Pipeline/Compile.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Regex.h"
#include <gtest/gtest.h>

using namespace attnc;

namespace {

struct ModuleCase {
  const char *name;
  const char *body;  ///< of a function of x (6 elements of f32), v (n of f32) and at (6 of i32), where 0 <= n <= 8
  const char *fault; ///< a regular expression for the message after the location; empty if the module is valid
  const char *result = "tensor<6xf32> {model.name = \"y\", model.shape = [\"6\"]}";
};

constexpr char vectorOfN[] = "tensor<?xf32> {model.name = \"y\", model.shape = [\"n\"]}";
constexpr char listOf4[] = "tensor<4x6xf32> {model.name = \"y\", model.shape = [\"4\", \"6\"]}";

std::string moduleOf(const ModuleCase &each) {
  return std::string(R"(#same = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
func.func @f(%x: tensor<6xf32> {model.name = "x", model.shape = ["6"]}, %v: tensor<?xf32> {model.name = "v", model.shape = ["n"]},
             %at: tensor<6xi32> {model.name = "at", model.shape = ["6"]})
    -> ()") + each.result +
         R"() attributes {model.entry, model.dimensions = [#model.dimension<"n", 8>]} {
  %c-3 = arith.constant -3 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %v, %c0 : tensor<?xf32>
  %six = tensor.empty() : tensor<6xf32>
)" + each.body +
         "\n}\nmodel.parameter @w [3] : tensor<6xf32> checkpoint \"w.{0}\" init <\"ones\", 0.0, 0.0>\n";
}

class ModuleFaults : public testing::TestWithParam<ModuleCase> {};

TEST_P(ModuleFaults, SaysWhatIsWrong) {
  Compilation made;
  std::string diagnostics;
  mlir::ScopedDiagnosticHandler handler(&made.context, [&](mlir::Diagnostic &each) { diagnostics += each.str(); });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(moduleOf(GetParam()), &made.context, "m.mlir");
  ASSERT_TRUE(module) << diagnostics;
  std::string fault = faultOfModule(*module, "m.mlir"), expected = GetParam().fault;
  if (expected.empty()) {
    EXPECT_EQ(fault, "");
    return;
  }
  EXPECT_TRUE(llvm::Regex("^m.mlir:[0-9]+:[0-9]+: error: " + expected).match(fault)) << fault;
}

/// Applies `op` `count` times to the previous value and itself, from `%l0`: 2^count terms or factors.
std::string repeated(const std::string &op, int count) {
  std::string ops;
  for (int i = 0; i < count; ++i) {
    std::string before = "%l" + std::to_string(i);
    ops += "%l" + std::to_string(i + 1) + " = " + op + " " + before + ", " + before + " : index\n";
  }
  return ops;
}

TEST(CheckModule, LongSizesAreRefusedSoon) {
  std::string squares = "%l0 = arith.addi %n, %c1 : index\n" + repeated("arith.muli", 40) +
                        "%e = tensor.empty(%l40) : tensor<?xf32>\nreturn %x : tensor<6xf32>";
  std::string extrema = "%l0 = arith.maxsi %n, %c4 : index\n";
  for (int i = 0; i < 40; ++i) {
    std::string now = std::to_string(i), next = std::to_string(i + 1);
    extrema += "%p" + now + " = arith.muli %l" + now + ", %n : index\n%l" + next + " = arith.maxsi %l" + now + ", %p" +
               now + " : index\n";
  }
  extrema += "%e = tensor.empty(%l40) : tensor<?xf32>\nreturn %x : tensor<6xf32>";
  std::string turns = "%y = scf.for %l0 = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<6xf32>) {\n" +
                      repeated("arith.addi", 40) +
                      "%q = tensor.extract_slice %a[%l40] [1] [1] : tensor<6xf32> to tensor<1xf32>\n"
                      "scf.yield %a : tensor<6xf32> }\nreturn %y : tensor<6xf32>";
  for (const std::string &body : {squares, extrema, turns}) {
    Compilation made;
    auto module = mlir::parseSourceString<mlir::ModuleOp>(moduleOf({"", body.c_str(), ""}), &made.context, "m.mlir");
    ASSERT_TRUE(module);
    EXPECT_NE(faultOfModule(*module, "m.mlir"), "") << body;
  }
}

TEST(CheckModule, FunctionsAndOpsAreWhereTheyBelong) {
  auto faultOfText = [](const std::string &text) {
    Compilation made;
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &made.context, "m.mlir");
    return module ? faultOfModule(*module, "m.mlir") : std::string("does not parse");
  };
  std::string kernel = "func.func private @k(%n: index) attributes {attn.kernel = \"loops\"} { return }\n";
  EXPECT_EQ(faultOfText(kernel), "");
  EXPECT_EQ(
      faultOfText(kernel + "%c = arith.constant 1 : index\n"),
      "m.mlir:2:6: error: arith.constant is outside of all functions; expected func.func or model.parameter there");
  EXPECT_NE(faultOfText(kernel + "%c = \"ub.poison\"() : () -> index\nfunc.call @k(%c) : (index) -> ()\n"), "");
  EXPECT_NE(faultOfText("func.func private @k(%n: index) -> index attributes {attn.kernel = \"loops\"} { return %n : "
                        "index }\n"),
            "");
}

TEST(CheckModule, ProductsOfManyDimensionsTakeNoTime) {
  std::string names, dimensions, type, group;
  for (int i = 0; i < 30; ++i) {
    std::string comma = i ? ", " : "", name = "\"d" + std::to_string(i) + "\"";
    names += comma + name;
    dimensions += comma + "#model.dimension<" + name + ", -1, 1>";
    type += "?x";
    group += comma + std::to_string(i);
  }
  std::string text = "func.func @f(%x: tensor<" + type + "f32> {model.name = \"x\", model.shape = [" + names +
                     "]}) -> (tensor<6xf32> {model.name = \"y\", model.shape = [\"6\"]}) attributes {model.entry, " +
                     "model.dimensions = [" + dimensions + "]} {\n%c = tensor.collapse_shape %x [[" + group +
                     "]] : tensor<" + type + "f32> into tensor<?xf32>\n" +
                     "%y = tensor.extract_slice %c[1] [6] [1] : tensor<?xf32> to tensor<6xf32>\n" +
                     "return %y : tensor<6xf32>\n}\n";
  Compilation made;
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &made.context, "m.mlir");
  ASSERT_TRUE(module);
  EXPECT_NE(faultOfModule(*module, "m.mlir"), "");
}

/// A loop over `%l` from `from` to `to`, each iteration of which adds parameter `index` of the three.
#define ADDS_PARAMETERS(from, to, index)                                                                               \
  "%y = scf.for %l = " from " to " to " step %c1 iter_args(%a = %x) -> (tensor<6xf32>) {\n" index                      \
  "%w = model.get @w[%i] : tensor<6xf32>\n"                                                                            \
  "%r = linalg.add ins(%a, %w : tensor<6xf32>, tensor<6xf32>) outs(%six : tensor<6xf32>) -> tensor<6xf32>\n"           \
  "scf.yield %r : tensor<6xf32> }\nreturn %y : tensor<6xf32>"

#define FORMULA(ops)                                                                                                   \
  "%y = linalg.generic {indexing_maps = [#same, #same], iterator_types = [\"parallel\"]} ins(%x : tensor<6xf32>) "      \
  "outs(%six : tensor<6xf32>) {\n^bb0(%a: f32, %o: f32):\n" ops "\n} -> tensor<6xf32>\nreturn %y : tensor<6xf32>"

INSTANTIATE_TEST_SUITE_P(
    Entries, ModuleFaults,
    testing::Values(
        ModuleCase{"parameters", ADDS_PARAMETERS("%c0", "%c3", "%i = arith.addi %l, %c0 : index\n"), ""},
        ModuleCase{"parametersTurned", ADDS_PARAMETERS("%c0", "%c3", "%i = arith.subi %c2, %l : index\n"), ""},
        ModuleCase{"parameterBehind", ADDS_PARAMETERS("%c0", "%c4", "%i = arith.addi %l, %c0 : index\n"),
                   "model.get names an element of a list of 3 by an index that is from 0 to 3; expected one"},
        ModuleCase{"parameterBelow", ADDS_PARAMETERS("%c0", "%c3", "%i = arith.subi %l, %c1 : index\n"),
                   "model.get names an element of a list of 3 by an index that is from -1 to 1"},
        ModuleCase{"parameterOfASize", ADDS_PARAMETERS("%c0", "%n", "%i = arith.addi %l, %c0 : index\n"),
                   "model.get names an element of a list of 3 by an index that is from 0 to n - 1"},
        ModuleCase{"elementBehind", R"(
          %empty = tensor.empty() : tensor<4x6xf32>
          %y = scf.for %l = %c0 to %c6 step %c1 iter_args(%list = %empty) -> (tensor<4x6xf32>) {
            %with = model.with_element %x into %list[%l] : tensor<6xf32> into tensor<4x6xf32>
            scf.yield %with : tensor<4x6xf32>
          }
          return %y : tensor<4x6xf32>)",
                   "model.with_element names an element of a list of 4 by an index that is from 0 to 5", listOf4},
        ModuleCase{"elements", R"(
          %empty = tensor.empty() : tensor<4x6xf32>
          %y = scf.for %l = %c0 to %c4 step %c1 iter_args(%list = %empty) -> (tensor<4x6xf32>) {
            %with = model.with_element %x into %list[%l] : tensor<6xf32> into tensor<4x6xf32>
            scf.yield %with : tensor<4x6xf32>
          }
          return %y : tensor<4x6xf32>)",
                   "", listOf4}),
    [](const auto &test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Sizes, ModuleFaults,
    testing::Values(
        ModuleCase{"results", "return %v : tensor<?xf32>", "", vectorOfN},
        ModuleCase{"resultTooLong", R"(
          %m = arith.muli %n, %c2 : index
          %e = tensor.empty(%m) : tensor<?xf32>
          %y = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
          return %y : tensor<?xf32>)",
                   "func.return returns a tensor of size 2\\*n along dimension 0, but model.shape of result 0 says n",
                   vectorOfN},
        ModuleCase{"loopOfTwoSizes", R"(
          %e = tensor.empty(%c4) : tensor<?xf32>
          %y = linalg.exp ins(%v : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
          return %y : tensor<?xf32>)",
                   "linalg.exp reads or writes n elements along a loop, but operand 1 has 4 there", vectorOfN},
        ModuleCase{"turnsOfTwoSizes", R"(
          %half = tensor.empty(%c3) : tensor<?xf32>
          %y = scf.for %l = %c0 to %n step %c1 iter_args(%a = %v) -> (tensor<?xf32>) {
            %b = linalg.fill ins(%one : f32) outs(%half : tensor<?xf32>) -> tensor<?xf32>
            scf.yield %b : tensor<?xf32>
          }
          return %y : tensor<?xf32>)",
                   "scf.for takes a tensor of size 3 along dimension 0 for one of size n", vectorOfN},
        ModuleCase{"elementOfAnotherSize", R"(
          %list = tensor.empty(%c6) : tensor<4x?xf32>
          %y = model.with_element %v into %list[%c0] : tensor<?xf32> into tensor<4x?xf32>
          return %x : tensor<6xf32>)",
                   "model.with_element takes a tensor of size n along dimension 0 for one of size 6"},
        ModuleCase{"castToMore", R"(
          %y = tensor.cast %v : tensor<?xf32> to tensor<6xf32>
          return %y : tensor<6xf32>)",
                   "tensor.cast takes a tensor of size n along dimension 0 for one of size 6"},
        ModuleCase{"expandedToMore", R"(
          %y = tensor.expand_shape %v [[0, 1]] output_shape [2, %n] : tensor<?xf32> into tensor<2x?xf32>
          return %v : tensor<?xf32>)",
                   "tensor.expand_shape takes a tensor of size n along dimension 0 for one of size 2\\*n", vectorOfN},
        ModuleCase{"joinedRows", R"(
          %a = tensor.expand_shape %v [[0, 1]] output_shape [1, %n] : tensor<?xf32> into tensor<1x?xf32>
          %b = tensor.expand_shape %x [[0, 1]] output_shape [1, 6] : tensor<6xf32> into tensor<1x6xf32>
          %c = tensor.cast %b : tensor<1x6xf32> to tensor<1x?xf32>
          %y = tensor.concat dim(0) %a, %c : (tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<2x?xf32>
          return %x : tensor<6xf32>)",
                   "tensor.concat takes a tensor of size 6 along dimension 1 for one of size n"},
        ModuleCase{"shifted", R"(
          %e = tensor.empty(%n) : tensor<?xf32>
          %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i + 1)>, #same], iterator_types = ["parallel"]}
              ins(%v : tensor<?xf32>) outs(%e : tensor<?xf32>) {
          ^bb0(%a: f32, %o: f32):
            linalg.yield %a : f32
          } -> tensor<?xf32>
          return %y : tensor<?xf32>)",
                   "linalg.generic reads or writes operand 0 of n elements along dimension 0 at subscripts that",
                   vectorOfN},
        ModuleCase{"windows", R"(
          %m = arith.addi %n, %c2 : index
          %long = tensor.empty(%m) : tensor<?xf32>
          %in = linalg.fill ins(%one : f32) outs(%long : tensor<?xf32>) -> tensor<?xf32>
          %taps = arith.constant dense<1.0> : tensor<3xf32>
          %e = tensor.empty(%n) : tensor<?xf32>
          %zero = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
          %y = linalg.conv_1d ins(%in, %taps : tensor<?xf32>, tensor<3xf32>) outs(%zero : tensor<?xf32>) -> tensor<?xf32>
          return %y : tensor<?xf32>)",
                   "", vectorOfN},
        ModuleCase{"sizeBelowZero", R"(
          %m = arith.subi %n, %c3 : index
          %e = tensor.empty(%m) : tensor<?xf32>
          return %x : tensor<6xf32>)",
                   "tensor.empty has size n - 3 along dimension 0, which may be below 0"},
        ModuleCase{"quotientBelowZero", R"(
          %m = arith.subi %n, %c3 : index
          %half = arith.divsi %m, %c2 : index
          %e = tensor.empty(%half) : tensor<?xf32>
          return %x : tensor<6xf32>)",
                   "arith.divsi has an index that is not known to be at least 0"},
        ModuleCase{
            "sizeOfData", R"(
          %m = arith.remsi %n, %c3 : index
          %e = tensor.empty(%m) : tensor<?xf32>
          return %x : tensor<6xf32>)",
            "tensor.empty has a size along dimension 0 that is too long, or no expression of dimensions and numbers"},
        ModuleCase{"slices", R"(
          %eight = tensor.empty() : tensor<8xf32>
          %full = linalg.fill ins(%one : f32) outs(%eight : tensor<8xf32>) -> tensor<8xf32>
          %y = tensor.extract_slice %full[0] [%n] [1] : tensor<8xf32> to tensor<?xf32>
          return %y : tensor<?xf32>)",
                   "", vectorOfN},
        ModuleCase{
            "sliceTooLong", R"(
          %y = tensor.extract_slice %x[0] [%n] [1] : tensor<6xf32> to tensor<?xf32>
          return %y : tensor<?xf32>)",
            "tensor.extract_slice takes a slice along dimension 0 of 6 elements that is not known to be in range",
            vectorOfN},
        ModuleCase{"strides", R"(
          %y = tensor.extract_slice %x[1] [%c3] [2] : tensor<6xf32> to tensor<?xf32>
          return %x : tensor<6xf32>)",
                   ""},
        ModuleCase{"strideTooLong", R"(
          %y = tensor.extract_slice %x[%c2] [%c3] [2] : tensor<6xf32> to tensor<?xf32>
          return %x : tensor<6xf32>)",
                   "tensor.extract_slice takes a slice along dimension 0 of 6 elements"},
        ModuleCase{"sliceBelow", R"(
          %y = tensor.extract_slice %x[%c-3] [%c3] [1] : tensor<6xf32> to tensor<?xf32>
          return %x : tensor<6xf32>)",
                   "tensor.extract_slice takes a slice along dimension 0 of 6 elements"},
        ModuleCase{"dimensionBehind", "%d = tensor.dim %x, %c1 : tensor<6xf32>\nreturn %x : tensor<6xf32>",
                   "tensor.dim reads dimension 1 of tensor<6xf32>; expected a constant below its rank"}),
    [](const auto &test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Ops, ModuleFaults,
    testing::Values(
        ModuleCase{"formula", FORMULA("%r = math.exp %a : f32\nlinalg.yield %r : f32"), ""},
        ModuleCase{"function", FORMULA("%r = math.acos %a : f32\nlinalg.yield %r : f32"),
                   "math.acos is not supported in a formula"},
        ModuleCase{"types",
                   FORMULA("%d = arith.extf %a : f32 to f64\n%r = arith.truncf %d : f64 to f32\n"
                           "linalg.yield %r : f32"),
                   "arith.extf computes with f64; expected f32, i32, i1 or index"},
        ModuleCase{"divisor",
                   FORMULA("%i = arith.fptosi %a : f32 to i32\n%z = arith.constant 0 : i32\n"
                           "%q = arith.divsi %i, %z : i32\n%r = arith.sitofp %q : i32 to f32\n"
                           "linalg.yield %r : f32"),
                   "arith.divsi divides by 0"},
        ModuleCase{"shift",
                   FORMULA("%i = arith.fptosi %a : f32 to i32\n%z = arith.constant 32 : i32\n"
                           "%q = arith.shli %i, %z : i32\n%r = arith.sitofp %q : i32 to f32\n"
                           "linalg.yield %r : f32"),
                   "arith.shli shifts by 32 bits; expected 0 to 31"},
        ModuleCase{"readsNothing", FORMULA("%r = arith.addf %a, %o : f32\nlinalg.yield %r : f32"),
                   "tensor.empty is a tensor of undefined elements, which linalg.generic reads"},
        ModuleCase{"viewOfNothing", "%y = tensor.cast %six : tensor<6xf32> to tensor<6xf32>\nreturn %y : tensor<6xf32>",
                   "tensor.empty is a tensor of undefined elements, which func.return reads"},
        ModuleCase{"loopOfNothing", R"(
          %y = scf.for %l = %c0 to %c4 step %c1 iter_args(%list = %six) -> (tensor<6xf32>) {
            %r = linalg.exp ins(%list : tensor<6xf32>) outs(%six : tensor<6xf32>) -> tensor<6xf32>
            scf.yield %r : tensor<6xf32>
          }
          return %y : tensor<6xf32>)",
                   "tensor.empty is a tensor of undefined elements, which linalg.exp reads"},
        ModuleCase{"extentOfNothing", R"(
          %s = tensor.empty() : tensor<f32>
          %zero = linalg.fill ins(%one : f32) outs(%s : tensor<f32>) -> tensor<f32>
          %t = linalg.generic {indexing_maps = [#same, #none], iterator_types = ["reduction"]}
              ins(%six : tensor<6xf32>) outs(%zero : tensor<f32>) {
          ^bb0(%a: f32, %o: f32):
            %r = arith.addf %o, %one : f32
            linalg.yield %r : f32
          } -> tensor<f32>
          return %x : tensor<6xf32>)",
                   ""},
        ModuleCase{"choiceOfTensors", R"(
          %b = arith.cmpi slt, %n, %c3 : index
          %y = scf.if %b -> tensor<6xf32> { scf.yield %x : tensor<6xf32> } else { scf.yield %x : tensor<6xf32> }
          return %y : tensor<6xf32>)",
                   "scf.if is not supported outside of formulas"},
        ModuleCase{"elementOutside", "%e = tensor.extract %x[%c0] : tensor<6xf32>\nreturn %x : tensor<6xf32>",
                   "tensor.extract is not supported outside of formulas"},
        ModuleCase{"callOfNoKernel",
                   "%y = func.call @f(%x, %v, %at) : (tensor<6xf32>, tensor<?xf32>, tensor<6xi32>) -> "
                   "tensor<6xf32>\nreturn %y : tensor<6xf32>",
                   "func.call is not supported outside of formulas"},
        ModuleCase{"numberCarried", R"(
          %s = scf.for %l = %c0 to %c4 step %c1 iter_args(%a = %one) -> (f32) { scf.yield %a : f32 }
          return %x : tensor<6xf32>)",
                   "scf.for carries f32; expected tensors"},
        ModuleCase{"constantSet", R"(
          %ones = arith.constant dense<1.0> : tensor<6xf32>
          model.set @w[%c0], %ones : tensor<6xf32>
          return %x : tensor<6xf32>)",
                   "arith.constant is a whole tensor that model.set reads"},
        ModuleCase{"readBehind", R"(
          model.set @w[%c0], %x : tensor<6xf32>
          %y = model.get @w[%c0] : tensor<6xf32>
          return %y : tensor<6xf32>)",
                   "model.get reads @w after its model.set; expected it before"},
        ModuleCase{"nameOfAComment", "return %x : tensor<6xf32>",
                   "func.func has the name '\\*/'; expected letters, digits and underscores",
                   "tensor<6xf32> {model.name = \"*/\", model.shape = [\"6\"]}"},
        ModuleCase{"nameOfNothing", "return %x : tensor<6xf32>", "func.func has the name ''; expected letters",
                   "tensor<6xf32> {model.name = \"\", model.shape = [\"6\"]}"},
        ModuleCase{"elementType", "%y = arith.constant dense<1.0> : tensor<6xf64>\nreturn %y : tensor<6xf64>",
                   "func.func has a value of type tensor<6xf64>; expected a ranked tensor of f32, bf16",
                   "tensor<6xf64> {model.name = \"y\", model.shape = [\"6\"]}"},
        ModuleCase{"bytes", "%y = tensor.empty() : tensor<6x9223372036854775807xf32>\nreturn %x : tensor<6xf32>",
                   "tensor.empty has a value of type tensor<6x9223372036854775807xf32>; expected a tensor of less"}),
    [](const auto &test) { return test.param.name; });

} // namespace
