// Tests that subscripts from data are reported as out of range for unmasked pairs only.
#include "compiler/Codegen/Nest/KernelFrame.h"
#include "tests/compiler/Codegen/CPU/AttendGradientKernels.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

/// Each kernel captures the mask %allowed, a row number of %table for each key in %number, and its own operands.
struct Reading {
  std::string name;
  AttendGradientKernel kernel;
};

const char *numberOfKey = "%n0 = tensor.extract %number[%j] : tensor<?xi32> %n = arith.index_cast %n0 : i32 to index ";

std::vector<Reading> readings() {
  std::vector<Reading> all;
  auto add = [&](std::string name) -> AttendGradientKernel & {
    AttendGradientKernel kernel;
    kernel.captured = ", %allowed: tensor<?x?xi1>, %number: tensor<?xi32>, %table: tensor<5x32xf32>";
    kernel.mask = "%m = tensor.extract %allowed[%i, %j] : tensor<?x?xi1>";
    return all.emplace_back(Reading{std::move(name), kernel}).kernel;
  };
  std::string read = std::string(numberOfKey) + "%t0 = tensor.extract %table[%n, %c2] : tensor<5x32xf32> ";
  add("a term of the score").score = read + "%y = arith.addf %s, %t0 : f32";
  add("a factor of the score").score = read + "%y = arith.mulf %s, %t0 : f32";
  add("a guarded term").score = read + "%zero = arith.constant 0.0 : f32 %before = arith.cmpi slt, %j, %i : index "
                                       "%t1 = arith.select %before, %t0, %zero : f32 %y = arith.addf %s, %t1 : f32";
  add("the keys").dot = std::string(numberOfKey) + "%row = tensor.extract %table[%n, %d] : tensor<5x32xf32> "
                                                   "%t = arith.mulf %a, %row : f32";
  add("a distance").dot = std::string(numberOfKey) +
                          "%row = tensor.extract %table[%n, %d] : tensor<5x32xf32> %t0 = arith.subf %a, %row : f32 "
                          "%t1 = arith.mulf %t0, %t0 : f32 %half = arith.constant -0.1 : f32 "
                          "%t = arith.mulf %t1, %half : f32";
  add("an additive score").dot = std::string(numberOfKey) +
                                 "%row = tensor.extract %table[%n, %d] : tensor<5x32xf32> %t0 = arith.addf %a, %row : "
                                 "f32 %t = math.tanh %t0 : f32";
  add("a subscript that features make").dot = std::string(numberOfKey) +
                                              "%n1 = arith.index_cast %d : index to i32 %n2 = arith.constant 3 : i32 "
                                              "%n3 = arith.divsi %n1, %n2 : i32 %n4 = arith.muli %n3, %n0 : i32 "
                                              "%n5 = arith.index_cast %n4 : i32 to index "
                                              "%x0 = tensor.extract %table[%c2, %n5] : tensor<5x32xf32> "
                                              "%t = arith.mulf %a, %x0 : f32";
  add("the weight").weight = read + "%w = arith.mulf %p, %t0 : f32";
  add("a weight that is no multiple").weight = read + "%w0 = arith.mulf %p, %p : f32 %w = arith.mulf %w0, %t0 : f32";
  add("the value").value = read + "%u = arith.addf %x, %t0 : f32";
  add("a row of the value").value = std::string(numberOfKey) + "%t0 = tensor.extract %table[%n, %e] : "
                                                               "tensor<5x32xf32> %u = arith.addf %x, %t0 : f32";
  return all;
}

/// Every seventh key has a number outside of the table and is masked for every row.
std::vector<HostArray> operandsWithin(const AttendKernel &kernel) {
  std::vector<HostArray> operands = kernel.operands();
  HostArray allowed({kernel.queries, kernel.keys}, ElementKind::I1);
  std::vector<int32_t> numbers;
  for (int64_t key = 0; key < kernel.keys; ++key)
    numbers.push_back(key % 7 != 5 ? int32_t(key % 4) : key % 2 ? 1'000'000'000 : -1'000'000'000);
  for (int64_t i = 0; i < allowed.size(); ++i)
    allowed.i1()[i] = i % kernel.keys % 7 != 5 && i % 11 != 3;
  operands.insert(operands.end(),
                  {allowed, HostArray::of({kernel.keys}, numbers), HostArray::random({5, 32}, 8, 0.25, 1)});
  return operands;
}

std::vector<AttendKernel> forms(const AttendKernel &kernel) {
  AttendKernel few = kernel, one = kernel;
  few.hasStaticQueries = one.hasStaticQueries = true;
  few.queries = 3;
  one.queries = 1;
  return {kernel, few, one};
}

/// Tests both with the same kernel, because compiling takes most of the time.
TEST(AttendSubscripts, OfKeptPairsAreReportedAndOfMaskedOnesAreNot) {
  for (const Reading &reading : readings())
    for (const AttendKernel &kernel : forms(reading.kernel)) {
      std::vector<HostArray> operands = operandsWithin(kernel);
      ComparedKernel &masked = comparedKernel(kernel.text());
      EXPECT_EQ(masked.compare(operands, kernel.resultShapes()), "") << reading.name << " " << kernel.queries;
      operands[3].i1()[(kernel.queries - 1) * kernel.keys + 75] = 1;
      masked.runner.run(operands, kernel.resultShapes());
      EXPECT_EQ(masked.runner.status(), ATTN_OUT_OF_RANGE) << reading.name << " " << kernel.queries;
      // An unmasked kernel has no partly masked block.
      AttendKernel unmasked = kernel;
      unmasked.mask.clear();
      KernelRunner all(unmasked.text(), *createCpuEmitter());
      ASSERT_TRUE(all) << reading.name << ": " << all.message();
      all.run(operands, kernel.resultShapes());
      EXPECT_EQ(all.status(), ATTN_OUT_OF_RANGE) << reading.name << " unmasked " << kernel.queries;
    }
}

TEST(AttendSubscripts, OfRowsWithoutKeysAreNotReported) {
  AttendKernel kernel;
  kernel.captured = ", %number: tensor<?xi32>, %table: tensor<5x32xf32>, %first: tensor<i32>";
  kernel.dot = "%n0 = tensor.extract %number[%i] : tensor<?xi32> %n = arith.index_cast %n0 : i32 to index "
               "%row = tensor.extract %table[%n, %d] : tensor<5x32xf32> %t = arith.mulf %row, %b : f32";
  kernel.mask = "%m0 = tensor.extract %first[] : tensor<i32> %m1 = arith.index_cast %i : index to i32 "
                "%m = arith.cmpi sle, %m0, %m1 : i32";
  for (const AttendKernel &form : forms(kernel)) {
    std::vector<int32_t> numbers(form.queries, 2);
    numbers[0] = 5;
    std::vector<HostArray> operands = form.operands();
    operands.push_back(HostArray::of({form.queries}, numbers));
    operands.push_back(HostArray::random({5, 32}, 8));
    operands.push_back(HostArray::of({}, std::vector<int32_t>{1}));
    EXPECT_EQ(compareWithOracle(form, operands), "") << form.queries;
    KernelRunner runner(form.text(), *createCpuEmitter());
    ASSERT_TRUE(runner) << runner.message();
    operands.back().i32()[0] = 0;
    runner.run(operands, form.resultShapes());
    EXPECT_EQ(runner.status(), ATTN_OUT_OF_RANGE) << form.queries;
  }
}

/// The weights of the top keys are computed at the end of a row, by the keys' indices; a row may have fewer keys.
TEST(AttendSubscripts, OfLargestKeysThatAreNotThereAreNotReported) {
  std::string text = R"(func.func private @k(%x: tensor<?x?xf32>, %length: tensor<i32>, %number: tensor<?xi32>)
      -> tensor<?x8xf32> attributes {attn.kernel = "attend"} {
    %c0 = arith.constant 0 : index %c1 = arith.constant 1 : index
    %N = tensor.dim %x, %c0 : tensor<?x?xf32> %M = tensor.dim %x, %c1 : tensor<?x?xf32>
    %r = attn.attend softmax outer(%N) keys(%M) values() yields ["top_weights"]
      score(%i, %j) { %s = tensor.extract %x[%i, %j] : tensor<?x?xf32> attn.yield %s : f32 }
      mask(%i, %j) {
        %l = tensor.extract %length[] : tensor<i32> %n = arith.index_cast %j : index to i32
        %m = arith.cmpi sge, %n, %l : i32 attn.yield %m : i1 }
      weight(%p: f32, %i, %j) {
        %n0 = tensor.extract %number[%j] : tensor<?xi32> %n = arith.index_cast %n0 : i32 to index
        %y = tensor.extract %x[%c0, %n] : tensor<?x?xf32> %w = arith.mulf %p, %y : f32 attn.yield %w : f32 } {top = 8 : i64}
      : tensor<?x8xf32>
    return %r : tensor<?x8xf32> })";
  ComparedKernel kernel(text);
  std::vector<int32_t> numbers(20, 1);
  numbers[0] = 20;
  std::vector<HostArray> operands = {HostArray::random({3, 20}, 1), HostArray::of({}, std::vector<int32_t>{15}),
                                     HostArray::of({20}, numbers)};
  EXPECT_EQ(kernel.compare(operands, {{3, 8}}), "");
}

TEST(AttendSubscripts, GradientsOfMaskedPairsReadNothing) {
  for (Reading &reading : readings())
    for (const char *form : {"", "form = \"pairs\""}) {
      AttendGradientKernel kernel = reading.kernel;
      kernel.schedule = form;
      bool readsKeys = reading.kernel.dot.empty(); // other kernels do not read %k, which then has no gradient
      kernel.ofFactors = readsKeys;
      kernel.of = {{"%table", "tensor<5x32xf32>"}};
      std::vector<HostArray> operands = operandsWithin(kernel);
      // The captured tensors begin with those of `of`.
      kernel.captured = ", %table: tensor<5x32xf32>, %allowed: tensor<?x?xi1>, %number: tensor<?xi32>";
      std::rotate(operands.begin() + 3, operands.begin() + 5, operands.end());
      EXPECT_EQ(compareGradient(kernel, operands, 4e-5), "") << reading.name << " " << form;
    }
}

} // namespace
} // namespace attnc
