// Compares masks that are decided per block with the oracle: half planes, residues, tables and intervals.
#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

struct Mask {
  std::string name, text;
  std::string captured = "";
  std::function<std::vector<HostArray>(const AttendKernel &)> operands = [](const AttendKernel &) {
    return std::vector<HostArray>();
  };
};

/// Returns |a - b| <= `most` as the front end emits it.
std::string isNear(const std::string &a, const std::string &b, int64_t most, const std::string &name) {
  return fmt::format("%{2}0 = arith.subi {0}, {1} : index %{2}1 = arith.subi %c0, %{2}0 : index %{2}2 = arith.maxsi "
                     "%{2}0, %{2}1 : index %{2}3 = arith.constant {3} : index %{2} = arith.cmpi sle, %{2}2, %{2}3 : "
                     "index ",
                     a, b, name, most);
}

std::vector<Mask> masksOfIndices() {
  std::vector<Mask> all;
  all.push_back({"window", isNear("%i", "%j", 20, "m")});
  all.push_back({"outside of a window", isNear("%i", "%j", 20, "w") + "%one = arith.constant true %m = arith.xori %w, "
                                                                      "%one : i1"});
  all.push_back({"greater of two",
                 "%x = arith.maxsi %i, %j : index %w = arith.constant 70 : index %m = arith.cmpi sgt, "
                 "%w, %x : index"});
  all.push_back({"lesser of two", "%x = arith.minsi %i, %j : index %w = arith.constant 30 : index %m = arith.cmpi sge, "
                                  "%x, %w : index"});
  all.push_back({"window in the plane",
                 "%w = arith.constant 10 : index %p0 = arith.floordivsi %i, %w : index %p1 = arith.floordivsi %j, %w : "
                 "index %p2 = arith.remsi %i, %w : index %p3 = arith.remsi %j, %w : index " +
                     isNear("%p0", "%p1", 2, "y") + isNear("%p2", "%p3", 3, "u") + "%m = arith.andi %y, %u : i1"});
  auto residue = [](const std::string &difference, int64_t modulus) {
    return fmt::format("{} %w = arith.constant {} : index %x1 = arith.floordivsi %x, %w : index %x2 = arith.muli %x1, "
                       "%w : index %x3 = arith.subi %x, %x2 : index %y = arith.cmpi eq, %x3, %c0 : index ",
                       difference, modulus);
  };
  all.push_back({"dilated and causal", residue("%x = arith.subi %i, %j : index", 4) +
                                           "%z = arith.cmpi sle, %j, %i : index %m = arith.andi %z, %y : i1"});
  all.push_back({"dilated window", residue("%x = arith.subi %j, %i : index", 3) + isNear("%i", "%j", 40, "z") +
                                       "%m = arith.andi %y, %z : i1"});
  all.push_back({"another residue", residue("%more = arith.constant 2 : index %x0 = arith.subi %j, %i : index %x = "
                                            "arith.addi %x0, %more : index",
                                            7) +
                                        "%one = arith.constant true %m = arith.andi %y, %one : i1"});
  return all;
}

HostArray flags(const std::vector<int64_t> &shape, uint64_t step) {
  HostArray array(shape, ElementKind::I1);
  for (int64_t i = 0; i < array.size(); ++i)
    array.i1()[i] = uint64_t(i) * step % 5 == 0;
  return array;
}

std::vector<Mask> masksOfTensors() {
  std::vector<Mask> all;
  for (int64_t block : {10, 32, 64})
    all.push_back({fmt::format("blocks of {}", block),
                   fmt::format("%w = arith.constant {} : index %x = arith.floordivsi %i, %w : index %y = "
                               "arith.floordivsi %j, %w : index %m = tensor.extract %blocks[%x, %y] : tensor<?x?xi1>",
                               block),
                   ", %blocks: tensor<?x?xi1>", [block](const AttendKernel &kernel) {
                     return std::vector{flags({kernel.queries / block + 1, kernel.keys / block + 1}, 3)};
                   }});
  all.push_back({"blocks of another kind",
                 "%w = arith.constant 32 : index %y = arith.floordivsi %j, %w : index %x = "
                 "tensor.extract %kinds[%i, %y] : tensor<?x?xi32> %two = arith.constant 2 : "
                 "i32 %m = arith.cmpi slt, %x, %two : i32",
                 ", %kinds: tensor<?x?xi32>", [](const AttendKernel &kernel) {
                   HostArray kinds({kernel.queries, kernel.keys / 32 + 1}, ElementKind::I32);
                   for (int64_t i = 0; i < kinds.size(); ++i)
                     kinds.i32()[i] = int32_t(i / 7 % 3);
                   return std::vector{kinds};
                 }});
  all.push_back({"tree",
                 "%e1 = tensor.extract %enter[%j] : tensor<?xi32> %i0 = arith.index_cast %i : index to i32 %y = "
                 "arith.cmpi sle, %e1, %i0 : i32 %l = tensor.extract %leave[%j] : tensor<?xi32> %z = "
                 "arith.cmpi slt, %i0, %l : i32 %m = arith.andi %y, %z : i1",
                 ", %enter: tensor<?xi32>, %leave: tensor<?xi32>", [](const AttendKernel &kernel) {
                   std::vector<int32_t> enter, leave;
                   for (int32_t j = 0; j < kernel.keys; ++j) {
                     enter.push_back(j);
                     leave.push_back(j < 20 ? int32_t(kernel.queries) : (j / 40 + 1) * 40);
                   }
                   return std::vector{HostArray::of({kernel.keys}, enter), HostArray::of({kernel.keys}, leave)};
                 }});
  // Sums beyond 32 bits wrap around, however a block is decided.
  all.push_back({"sums that wrap around",
                 "%a = tensor.extract %large[%i] : tensor<?xi32> %b = tensor.extract %larger[%j] : tensor<?xi32> %x = "
                 "arith.addi %a, %b : i32 %zero = arith.constant 0 : i32 %m = arith.cmpi sgt, %x, %zero : i32",
                 ", %large: tensor<?xi32>, %larger: tensor<?xi32>", [](const AttendKernel &kernel) {
                   std::vector<int32_t> rows(kernel.queries, 1 << 30), keys(kernel.keys, 1 << 30);
                   for (int64_t j = 0; j < kernel.keys; j += 3)
                     keys[j] = 5;
                   return std::vector{HostArray::of({kernel.queries}, rows), HostArray::of({kernel.keys}, keys)};
                 }});
  all.push_back({"dilated within documents",
                 "%x = arith.subi %i, %j : index %w = arith.constant 3 : index %x1 = arith.remsi %x, %w : index %y = "
                 "arith.cmpi eq, %x1, %c0 : index %d1 = tensor.extract %doc[%j] : tensor<?xi32> %i0 = arith.index_cast "
                 "%i : index to i32 %z = arith.cmpi sle, %d1, %i0 : i32 %m = arith.andi %y, %z : i1",
                 ", %doc: tensor<?xi32>", [](const AttendKernel &kernel) {
                   std::vector<int32_t> starts;
                   for (int32_t j = 0; j < kernel.keys; ++j)
                     starts.push_back(j / 50 * 50);
                   return std::vector{HostArray::of({kernel.keys}, starts)};
                 }});
  return all;
}

void PrintTo(const Mask &mask, std::ostream *out) { *out << mask.name; }

class AttendMasks : public testing::TestWithParam<Mask> {};

TEST_P(AttendMasks, AgreeWithTheOracle) {
  AttendKernel kernel;
  kernel.mask = GetParam().text;
  kernel.captured = GetParam().captured;
  kernel.yields = "\"value\", \"lse\"";
  kernel.dim = 20;
  ComparedKernel compiled(kernel.text());
  // Several blocks; 261 and 150 are no multiples of a tile; fewer rows than residues; no keys.
  for (auto [queries, keys] : {std::pair<int64_t, int64_t>{261, 300}, {150, 90}, {64, 128}, {5, 30}, {9, 2}, {9, 0}}) {
    kernel.queries = queries;
    kernel.keys = keys;
    std::vector<HostArray> operands = kernel.operands();
    for (HostArray &each : GetParam().operands(kernel))
      operands.push_back(std::move(each));
    EXPECT_EQ(compiled.compare(operands, kernel.resultShapes()), "") << queries << " " << keys;
  }
}

std::string maskName(const testing::TestParamInfo<Mask> &info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Indices, AttendMasks, testing::ValuesIn(masksOfIndices()), maskName);
INSTANTIATE_TEST_SUITE_P(Tensors, AttendMasks, testing::ValuesIn(masksOfTensors()), maskName);

TEST(AttendMask, WindowOfKeysWithTwoIndices) {
  std::string text = R"(func.func private @k(%q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>)
      -> tensor<?x?x16xf32> attributes {attn.kernel = "attend"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %D = arith.constant 16 : index
    %Y = tensor.dim %q, %c0 : tensor<?x?x16xf32>
    %X = tensor.dim %q, %c1 : tensor<?x?x16xf32>
    %V = tensor.dim %k, %c0 : tensor<?x?x16xf32>
    %U = tensor.dim %k, %c1 : tensor<?x?x16xf32>
    %r = attn.attend softmax outer(%Y, %X) keys(%V, %U) values(%D) yields ["value"] score(%i, %x, %j, %u) {
      %s = attn.reduce add (%d) in (%D) {
        %a = tensor.extract %q[%i, %x, %d] : tensor<?x?x16xf32>
        %b = tensor.extract %k[%j, %u, %d] : tensor<?x?x16xf32>
        %t = arith.mulf %a, %b : f32
        attn.yield %t : f32
      } : f32
      attn.yield %s : f32
    } mask(%i, %x, %j, %u) {
      )" + isNear("%i", "%j", 2, "y") +
                     isNear("%x", "%u", 3, "w") + R"(
      %m = arith.andi %y, %w : i1
      attn.yield %m : i1
    } value(%i, %x, %j, %u, %e) {
      %z = tensor.extract %v[%j, %u, %e] : tensor<?x?x16xf32>
      attn.yield %z : f32
    } : tensor<?x?x16xf32>
    return %r : tensor<?x?x16xf32>
  })";
  ComparedKernel compiled(text);
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>{17, 20}, {3, 130}, {40, 7}, {1, 1}}) {
    HostArray q = HostArray::random({rows, columns, 16}, 1), k = HostArray::random({rows + 2, columns, 16}, 2),
              v = HostArray::random({rows + 2, columns, 16}, 3);
    EXPECT_EQ(compiled.compare({q, k, v}, {{rows, columns, 16}}), "") << rows << " " << columns;
  }
}

} // namespace
} // namespace attnc
