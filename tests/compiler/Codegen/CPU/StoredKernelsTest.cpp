// Compares kernels that store bf16 and f16 with the same kernels of f32, which other tests compare with the oracle. The
// arithmetic on equal numbers is equal, so that each element is the f32 kernel's element rounded once:
//
//   |found - rounded(expected)| <= 2^-8 |expected| (bf16), 2^-11 |expected| (f16)   + 2^-16 of the largest
//
// This is one unit in the last place if the two lie on different sides of a midpoint, as sums may have another order.
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "compiler/Codegen/Halide/HalideEmitter.h"
#include "compiler/Narrow/NarrowKernel.h"
#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include "tests/compiler/Codegen/CPU/GemmCase.h"
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

using namespace mlir;

namespace attnc {
namespace {

using Shape = std::vector<int64_t>;

/// Returns which ports of a kernel are f32 tensors; all of these may be narrow here.
llvm::SmallBitVector portsOf(func::FuncOp kernel) {
  std::vector<Type> types(kernel.getArgumentTypes());
  llvm::append_range(types, kernel.getResultTypes());
  llvm::SmallBitVector ports(types.size());
  for (auto [port, type] : llvm::enumerate(types))
    ports[port] = isa<RankedTensorType>(type) && cast<RankedTensorType>(type).getElementType().isF32();
  return ports;
}

std::string narrowText(const std::string &text, ElementKind element) {
  ParsedModule parsed(text);
  EXPECT_TRUE(parsed) << parsed.diagnostics();
  Builder builder(parsed.get().getContext());
  FloatType type = builder.getF16Type();
  if (element == ElementKind::BF16)
    type = builder.getBF16Type();
  std::string printed;
  llvm::raw_string_ostream(printed) << **narrowKernel(parsed.function(), portsOf(parsed.function()), type);
  return printed;
}

/// A kernel, its operands and the shapes of its results.
struct Stored {
  std::string text;
  std::vector<HostArray> operands;
  std::vector<Shape> results;
};

void expectRoundedOnce(const Stored &given, const Emitter &emitter, const std::string &target, ElementKind element,
                       const RunOptions &options = {}) {
  std::string text = narrowText(given.text, element);
  KernelRunner wide(given.text, emitter, target), narrow(text, emitter, target);
  ASSERT_TRUE(wide) << wide.message();
  ASSERT_TRUE(narrow) << narrow.message() << text;
  std::vector<HostArray> stored, widened;
  for (const HostArray &operand : given.operands) {
    bool isReal = operand.kind == ElementKind::F32;
    stored.push_back(isReal ? operand.storedAs(element) : operand);
    widened.push_back(isReal ? stored.back().widened() : operand);
  }
  std::vector<HostArray> expected = wide.run(widened, given.results, options);
  std::vector<HostArray> found = narrow.run(stored, given.results, options);
  ASSERT_EQ(narrow.status(), 0);
  double unit = element == ElementKind::BF16 ? 0x1p-8 : 0x1p-11;
  for (size_t number = 0; number < found.size(); ++number) {
    ASSERT_EQ(found[number].kind, element);
    HostArray got = found[number].widened(), rounded = expected[number].storedAs(element).widened();
    double largest = 0;
    for (int64_t i = 0; i < got.size(); ++i)
      largest = std::max(largest, std::fabs(double(rounded.f32()[i])));
    for (int64_t i = 0; i < got.size(); ++i)
      ASSERT_LE(std::fabs(double(got.f32()[i]) - rounded.f32()[i]),
                unit * std::fabs(rounded.f32()[i]) + 0x1p-16 * largest)
          << "element " << i << " is " << got.f32()[i] << ", expected " << rounded.f32()[i] << " of\n"
          << text;
  }
}

void onProcessors(const Stored &given, const RunOptions &options = {}) {
  for (const char *target : {"native", "x86-64-v3"})
    for (ElementKind element : {ElementKind::BF16, ElementKind::F16})
      expectRoundedOnce(given, *createCpuEmitter(), target, element, options);
}

void byHalide(const Stored &given) {
  for (const char *target : {"native", "x86-64-v3"})
    for (ElementKind element : {ElementKind::BF16, ElementKind::F16})
      expectRoundedOnce(given, *createHalideEmitter(), target, element);
}

void everywhere(const Stored &given, bool halide = true) {
  onProcessors(given);
  if (halide)
    byHalide(given);
  for (ElementKind element : {ElementKind::BF16, ElementKind::F16})
    expectRoundedOnce(given, *createGpuEmitter(), "cuda", element);
}

//===------------------------------------------ loops -------------------------------------------------------------===//

/// Returns a kernel that computes `%z` from `%a` and `%b` at (i, j), where `mapOfA` is the indexing map of %a.
std::string pointwise(const std::string &size, const std::string &mapOfA, const std::string &body) {
  return fmt::format(R"(func.func private @k(%x: tensor<?x{0}xf32>, %y: tensor<?x{0}xf32>) -> tensor<?x{0}xf32>
      attributes {{attn.kernel = "loops"}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = tensor.dim %y, %c0 : tensor<?x{0}xf32>
    %init = tensor.empty(%m{3}) : tensor<?x{0}xf32>
    %r = linalg.generic {{indexing_maps = [{1}, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}} ins(%x, %y : tensor<?x{0}xf32>, tensor<?x{0}xf32>)
        outs(%init : tensor<?x{0}xf32>) {{
      ^bb0(%a: f32, %b: f32, %o: f32):
        {2}
        linalg.yield %z : f32
    }} -> tensor<?x{0}xf32>
    return %r : tensor<?x{0}xf32>
  }})",
                     size, mapOfA, body, size == "?" ? ", %m" : "");
}

constexpr const char *gated = "%e = math.exp %a : f32\n %f = arith.mulf %e, %b : f32\n %z = arith.addf %f, %a : f32";

TEST(StoredKernels, pointwiseOfAnyLength) {
  for (int64_t length : {1, 7, 8, 64, 100}) {
    std::string size = std::to_string(length);
    everywhere({pointwise(size, "affine_map<(i, j) -> (i, j)>", gated),
                {HostArray::random({5, length}, 1), HostArray::random({5, length}, 2)},
                {{5, length}}});
  }
}

TEST(StoredKernels, pointwiseAcrossTheDirectionOfWriting) {
  everywhere({pointwise("?", "affine_map<(i, j) -> (j, i)>", gated),
              {HostArray::random({37, 37}, 1), HostArray::random({37, 37}, 2)},
              {{37, 37}}});
}

TEST(StoredKernels, inPlace) {
  Stored given{pointwise("40", "affine_map<(i, j) -> (i, j)>", gated),
               {HostArray::random({9, 40}, 1), HostArray::random({9, 40}, 2)},
               {{9, 40}}};
  given.text.insert(given.text.find("%y: tensor<?x40xf32>") + 20, " {attn.in_place = 0 : i64}");
  RunOptions options;
  options.inPlaceOperand = 1;
  onProcessors(given, options);
}

TEST(StoredKernels, movedElements) {
  everywhere({R"(func.func private @k(%x: tensor<?x3x40xf32>) -> tensor<?x40xf32> attributes {attn.kernel = "loops"} {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x3x40xf32>
    %s = tensor.extract_slice %x[0, 1, 0] [%n, 1, 40] [1, 1, 1] : tensor<?x3x40xf32> to tensor<?x40xf32>
    return %s : tensor<?x40xf32>
  })",
              {HostArray::random({11, 3, 40}, 3)},
              {{11, 40}}},
             /*halide=*/false);
}

TEST(StoredKernels, elementsThatDataPick) {
  everywhere({R"(func.func private @k(%t: tensor<?x24xf32>, %at: tensor<?xi32>) -> tensor<?x24xf32>
      attributes {attn.kernel = "loops"} {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %at, %c0 : tensor<?xi32>
    %init = tensor.empty(%n) : tensor<?x24xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%at : tensor<?xi32>) outs(%init : tensor<?x24xf32>) {
      ^bb0(%a: i32, %o: f32):
        %j = linalg.index 1 : index
        %place = arith.index_cast %a : i32 to index
        %e = tensor.extract %t[%place, %j] : tensor<?x24xf32>
        linalg.yield %e : f32
    } -> tensor<?x24xf32>
    return %r : tensor<?x24xf32>
  })",
              {HostArray::random({30, 24}, 4), HostArray::of({5}, std::vector<int32_t>{3, 29, 0, 3, 17})},
              {{5, 24}}});
}

/// Compares the stored form of each number with that of APFloat.
TEST(StoredKernels, roundsToNearestEven) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> numbers = {0.0f,          -0.0f,     1.0f,     1.00390625f, 1.01171875f, 1.0039063f,
                                3.3895314e38f, 3.4e38f,   1e-40f,   -1e-45f,     65519.0f,    65520.0f,
                                6e-8f,         -infinity, infinity, 1.00048828f, 1.00146484f, 2e-8f};
  for (ElementKind element : {ElementKind::BF16, ElementKind::F16}) {
    HostArray given = HostArray::of({int64_t(numbers.size())}, numbers), expected = given.storedAs(element);
    std::string type = element == ElementKind::BF16 ? "bf16" : "f16";
    std::string text = fmt::format(R"(func.func private @k(%x: tensor<?xf32>) -> tensor<?x{0}>
        attributes {{attn.kernel = "loops"}} {{
      %s = arith.truncf %x : tensor<?xf32> to tensor<?x{0}>
      return %s : tensor<?x{0}>
    }})",
                                   type);
    for (const char *target : {"native", "x86-64-v3"}) {
      KernelRunner runner(text, *createCpuEmitter(), target);
      ASSERT_TRUE(runner) << runner.message();
      EXPECT_EQ(runner.run({given}, {given.shape}).front().bytes, expected.bytes) << type << " on " << target;
    }
  }
}

//===------------------------------------------ rows --------------------------------------------------------------===//

/// Returns the beginning of rows kernels of `%x`: constants, and the init tensors of a map and of a sum of rows.
std::string rowsBegin(int64_t length) {
  return fmt::format(R"(%c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %count = arith.constant {0}.0 : f32
    %n = tensor.dim %x, %c0 : tensor<?x{0}xf32>
    %row = tensor.empty(%n) : tensor<?x{0}xf32>
    %sum = tensor.empty(%n) : tensor<?xf32>
    %start = linalg.fill ins(%zero : f32) outs(%sum : tensor<?xf32>) -> tensor<?xf32>)",
                     length);
}

/// Returns x / sqrt(mean of squares) * gain over rows.
std::string rmsNorm(int64_t length) {
  return fmt::format(R"(func.func private @k(%x: tensor<?x{0}xf32>, %gain: tensor<{0}xf32>) -> tensor<?x{0}xf32>
      attributes {{attn.kernel = "rows"}} {{
    {1}
    %s = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]}} ins(%x : tensor<?x{0}xf32>) outs(%start : tensor<?xf32>) {{
      ^bb0(%a: f32, %o: f32):
        %q = arith.mulf %a, %a : f32
        %t = arith.addf %o, %q : f32
        linalg.yield %t : f32
    }} -> tensor<?xf32>
    %y = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
        affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
        ins(%x, %s, %gain : tensor<?x{0}xf32>, tensor<?xf32>, tensor<{0}xf32>) outs(%row : tensor<?x{0}xf32>) {{
      ^bb0(%a: f32, %b: f32, %g: f32, %o: f32):
        %m = arith.divf %b, %count : f32
        %r = math.rsqrt %m : f32
        %t = arith.mulf %a, %r : f32
        %u = arith.mulf %t, %g : f32
        linalg.yield %u : f32
    }} -> tensor<?x{0}xf32>
    return %y : tensor<?x{0}xf32>
  }})",
                     length, rowsBegin(length));
}

TEST(StoredKernels, rowsOfAnyLength) {
  for (int64_t length : {5, 64, 130})
    everywhere({rmsNorm(length), {HostArray::random({6, length}, 5), HostArray::random({length}, 6)}, {{6, length}}},
               /*halide=*/false);
}

/// Returns a map f of nearly constant rows, and the sum of (f - its mean)^2: the second sweep reads the stored f of the
/// first, which equals its mean in 16 bits.
std::string spread(int64_t length, const std::string &map) {
  return fmt::format(R"(func.func private @k(%x: tensor<?x{0}xf32>) -> (tensor<?x{0}xf32>, tensor<?xf32>)
      attributes {{attn.kernel = "rows"}} {{
    {2}
    %f = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}} ins(%x : tensor<?x{0}xf32>) outs(%row : tensor<?x{0}xf32>) {{
      ^bb0(%a: f32, %o: f32):
        {1}
        linalg.yield %z : f32
    }} -> tensor<?x{0}xf32>
    %s = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]}} ins(%f : tensor<?x{0}xf32>) outs(%start : tensor<?xf32>) {{
      ^bb0(%a: f32, %o: f32):
        %t = arith.addf %o, %a : f32
        linalg.yield %t : f32
    }} -> tensor<?xf32>
    %v = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
        affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}}
        ins(%f, %s : tensor<?x{0}xf32>, tensor<?xf32>) outs(%start : tensor<?xf32>) {{
      ^bb0(%a: f32, %b: f32, %o: f32):
        %m = arith.divf %b, %count : f32
        %d = arith.subf %a, %m : f32
        %q = arith.mulf %d, %d : f32
        %t = arith.addf %o, %q : f32
        linalg.yield %t : f32
    }} -> tensor<?xf32>
    return %f, %v : tensor<?x{0}xf32>, tensor<?xf32>
  }})",
                     length, map, rowsBegin(length));
}

TEST(StoredKernels, rowsThatLaterSweepsRead) {
  const char *costly = "%z = math.exp %a : f32", *cheap = "%z = arith.addf %a, %one : f32";
  for (auto [map, length] : {std::pair(costly, 5), {costly, 700}, {cheap, 130}})
    everywhere({spread(length, map), {HostArray::random({6, length}, 5, 0, 0x1p-10)}, {{6, length}, {6}}},
               /*halide=*/false);
}

//===------------------------------------------ products ----------------------------------------------------------===//

Stored product(const GemmCase &c, const std::string &target) {
  Target on = llvm::cantFail(Target::resolve(target));
  std::vector<HostArray> operands = c.operands();
  if (c.packed)
    operands[1] = c.pack(operands[1], c.panelColumns(on));
  return {c.text(on), operands, {c.shapeOf(c.out)}};
}

TEST(StoredKernels, productsOfFewAndManyRows) {
  for (int64_t m : {1, 3, 40})
    for (const char *right : {"kn", "nk"})
      for (bool packed : {false, true}) {
        GemmCase c{"mk", right, "mn"};
        c.sizes = {{'m', m}, {'n', 70}, {'k', 130}};
        c.packed = packed;
        c.dynamic = m == 3 ? "m" : "";
        c.extras = {"n", "mn"};
        c.body = "%t = arith.addf %p, %x0 : f32\n  %y = arith.addf %t, %x1 : f32";
        for (const char *target : {"native", "x86-64-v3"})
          for (ElementKind element : {ElementKind::BF16, ElementKind::F16})
            expectRoundedOnce(product(c, target), *createCpuEmitter(), target, element);
      }
}

TEST(StoredKernels, productsOfFactorsThatLieOtherwise) {
  GemmCase turned{"km", "kn", "mn"}, batches{"bmk", "bnk", "bmn"}, heads{"mhd", "nhd", "mn"};
  turned.sizes = {{'m', 40}, {'n', 50}, {'k', 70}};
  batches.sizes = {{'b', 3}, {'m', 9}, {'n', 20}, {'k', 33}};
  heads.sizes = {{'m', 20}, {'n', 18}, {'h', 3}, {'d', 10}};
  GemmCase few{"bmk", "bkn", "bmn"}; // read in place
  few.sizes = {{'b', 3}, {'m', 2}, {'n', 96}, {'k', 50}};
  for (const GemmCase &c : {turned, batches, heads, few})
    onProcessors(product(c, "native"));
}

//===------------------------------------------ attention ---------------------------------------------------------===//

TEST(StoredKernels, attentionOfManyAndFewQueries) {
  AttendKernel many, few, grouped;
  many.mask = "%m = arith.cmpi sle, %j, %i : index";
  few.queries = 1;
  few.keys = 300;
  few.hasStaticQueries = true;
  grouped.heads = 4;
  grouped.group = 4;
  grouped.queries = 2;
  grouped.dim = grouped.valueDim = 40;
  grouped.hasStaticQueries = true;
  for (AttendKernel kernel : {many, few, grouped})
    onProcessors({kernel.text(), kernel.operands(), kernel.resultShapes()});
}

TEST(StoredKernels, attentionWithABiasOfPairs) {
  AttendKernel kernel;
  kernel.captured = ", %bias: tensor<?x?x?xf32>";
  kernel.score = "%y0 = arith.mulf %s, %scale : f32 %y1 = tensor.extract %bias[%h, %i, %j] : tensor<?x?x?xf32> "
                 "%y = arith.addf %y0, %y1 : f32";
  std::vector<HostArray> operands = kernel.operands();
  operands.push_back(HostArray::random({kernel.heads, kernel.queries, kernel.keys}, 7));
  onProcessors({kernel.text(), operands, kernel.resultShapes()});
}

} // namespace
} // namespace attnc
