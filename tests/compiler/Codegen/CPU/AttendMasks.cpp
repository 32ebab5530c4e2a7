#include "tests/compiler/Codegen/CPU/AttendMasks.h"

namespace attnc {

static std::vector<AttendMaskCase> maskCasesOfIndices() {
  return {{"none", "", ""},
          {"causal", causalMask, ""},
          {"window",
           "%x0 = arith.subi %i, %j : index %w = arith.constant 20 : index %x1 = arith.cmpi slt, %x0, %w : index "
           "%x2 = arith.cmpi sle, %j, %i : index %m = arith.andi %x1, %x2 : i1",
           ""},
          {"two-sided window",
           "%x0 = arith.subi %i, %j : index %x1 = arith.index_cast %x0 : index to i32 %x2 = math.absi %x1 : i32 "
           "%w = arith.constant 9 : i32 %m = arith.cmpi sle, %x2, %w : i32",
           ""},
          {"prefix or causal",
           "%w = arith.constant 33 : index %x1 = arith.cmpi slt, %j, %w : index %x2 = arith.cmpi sle, %j, %i : index "
           "%m = arith.ori %x1, %x2 : i1",
           ""},
          {"dilated",
           "%three = arith.constant 3 : index %x0 = arith.addi %i, %j : index %x1 = arith.remsi %x0, %three : index "
           "%m = arith.cmpi eq, %x1, %c0 : index",
           ""},
          {"rows without keys",
           "%w = arith.constant 50 : index %x = arith.cmpi sgt, %i, %w : index %y = arith.cmpi sle, %j, %i : index "
           "%m = arith.andi %x, %y : i1",
           ""}};
}

static HostArray documents(int64_t length, int64_t each) {
  std::vector<int32_t> numbers;
  for (int64_t i = 0; i < length; ++i)
    numbers.push_back(int32_t(i / each));
  return HostArray::of({length}, numbers);
}

static std::vector<AttendMaskCase> maskCasesOfTensors() {
  auto lengths = [](const AttendKernel &kernel) {
    return std::vector{HostArray::of({2}, std::vector<int32_t>{int32_t(kernel.keys / 2), int32_t(kernel.keys)})};
  };
  auto numbers = [](const AttendKernel &kernel) {
    return std::vector{documents(kernel.queries, 25), documents(kernel.keys, 25)};
  };
  auto pairs = [](const AttendKernel &kernel) {
    HostArray allowed({kernel.queries, kernel.keys}, ElementKind::I1);
    for (int64_t i = 0; i < allowed.size(); ++i)
      allowed.i1()[i] = (i / kernel.keys + i) % 5 == 0 && i % kernel.keys > 64;
    return std::vector{allowed};
  };
  return {
      {"padding",
       "%x0 = tensor.extract %length[%h] : tensor<2xi32> %x1 = arith.index_cast %x0 : i32 to index "
       "%m = arith.cmpi slt, %j, %x1 : index",
       ", %length: tensor<2xi32>", lengths},
      {"documents",
       "%x0 = tensor.extract %qdoc[%i] : tensor<?xi32> %x1 = tensor.extract %kdoc[%j] : tensor<?xi32> "
       "%m = arith.cmpi eq, %x0, %x1 : i32",
       ", %qdoc: tensor<?xi32>, %kdoc: tensor<?xi32>", numbers},
      {"arbitrary mask", "%m = tensor.extract %allowed[%i, %j] : tensor<?x?xi1>", ", %allowed: tensor<?x?xi1>", pairs}};
}

std::vector<AttendMaskCase> attendMaskCases() {
  std::vector<AttendMaskCase> all = maskCasesOfIndices();
  for (AttendMaskCase &each : maskCasesOfTensors())
    all.push_back(std::move(each));
  return all;
}

} // namespace attnc
