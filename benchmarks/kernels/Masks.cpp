#include "benchmarks/kernels/Masks.h"
#include "benchmarks/support/CompiledKernel.h"
#include "benchmarks/support/Machine.h"
#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include <algorithm>
#include <fmt/format.h>

namespace attnc::bench {
namespace {

constexpr int64_t maskedLength = 4096, headDim = 64, side = 64; // the plane is 64 by 64

struct Mask {
  const char *name;
  std::string text; ///< MLIR text that computes %m from %i and %j
  std::function<bool(int64_t query, int64_t key)> keeps;
  std::string captured = ""; ///< captured tensors: ", %blocks: tensor<?x?xi1>"
  std::vector<void *> operands = {};
  std::vector<int64_t> sizes = {}; ///< sizes of the operands
  int64_t classes = 1;             ///< residue classes, by which queries and keys are ordered for the blocks
  int64_t keysOfBlock = AttendSchedule().tileKv;
  bool isPlane = false; ///< positions are (y, x): %i, %x1 and %j, %x2
};

std::string kernel(const Mask &mask) {
  std::string rows = mask.isPlane ? "tensor<?x64x64xf32>" : "tensor<?x64xf32>", x = mask.isPlane ? ", %X" : "";
  std::string query = mask.isPlane ? "%i, %x1" : "%i", key = mask.isPlane ? "%j, %x2" : "%j";
  std::string out = fmt::format(
      R"(func.func private @k(%q: {0}, %k: {0}, %v: {0}{1}) -> {0} attributes {{attn.kernel = "attend"}} {{
  %c0 = arith.constant 0 : index
  %D = arith.constant 64 : index
  %X = arith.constant 64 : index
  %scale = arith.constant 0.125 : f32
  %N = tensor.dim %q, %c0 : {0}
  %M = tensor.dim %k, %c0 : {0}
  %r = attn.attend softmax outer(%N{2}) keys(%M{2}) values(%D) yields ["value"] score({3}, {4}) {{
    %s = attn.reduce add (%d) in (%D) {{
      %a = tensor.extract %q[{3}, %d] : {0}
      %b = tensor.extract %k[{4}, %d] : {0}
      %t = arith.mulf %a, %b : f32
      attn.yield %t : f32
    }} : f32
    %y = arith.mulf %s, %scale : f32
    attn.yield %y : f32
  }}
)",
      rows, mask.captured, x, query, key);
  if (!mask.text.empty())
    out += fmt::format("  mask({}, {}) {{ {} attn.yield %m : i1 }}\n", query, key, mask.text);
  return out +
         fmt::format("  value({1}, {2}, %e) {{ %z = tensor.extract %v[{2}, %e] : {0} attn.yield %z : f32 }} : {0}\n"
                     "  return %r : {0}\n}}",
                     rows, query, key);
}

/// The front end's code for |a - b| <= 8.
std::string isNear(const std::string &a, const std::string &b, const std::string &name) {
  return fmt::format(
      "%{2}0 = arith.subi {0}, {1} : index %{2}1 = arith.subi %c0, %{2}0 : index %{2}2 = arith.maxsi "
      "%{2}0, %{2}1 : index %{2}3 = arith.constant 8 : index %{2} = arith.cmpi sle, %{2}2, %{2}3 : index ",
      a, b, name);
}

int32_t *numbers(const std::function<int32_t(int64_t)> &of) {
  auto *memory = reinterpret_cast<int32_t *>(randomFloats(size_t(maskedLength), 0, 1));
  for (int64_t i = 0; i < maskedLength; ++i)
    memory[i] = of(i);
  return memory;
}

void addMasksOfIndices(std::vector<Mask> &all) {
  const char *causal = "%m = arith.cmpi sle, %j, %i : index";
  all.push_back({"causal", causal, [](int64_t i, int64_t j) { return j <= i; }});
  all.push_back({"window of 512",
                 "%w = arith.constant 512 : index %x = arith.subi %i, %j : index %y = arith.cmpi slt, %x, %w : index "
                 "%z = arith.cmpi sle, %j, %i : index %m = arith.andi %y, %z : i1",
                 [](int64_t i, int64_t j) { return j <= i && i - j < 512; }});
  all.push_back({"prefix of 512",
                 "%w = arith.constant 512 : index %y = arith.cmpi slt, %j, %w : index %z = arith.cmpi sle, %j, %i : "
                 "index %m = arith.ori %y, %z : i1",
                 [](int64_t i, int64_t j) { return j <= i || j < 512; }});
  auto isNearInPlane = [](int64_t i, int64_t j) {
    return std::abs(i / side - j / side) <= 8 && std::abs(i % side - j % side) <= 8;
  };
  Mask plane{"window in the plane, by two indices",
             isNear("%i", "%j", "y") + isNear("%x1", "%x2", "u") + "%m = arith.andi %y, %u : i1", isNearInPlane};
  plane.isPlane = true;
  all.push_back(plane);
  all.push_back({"window in the plane, by / and %",
                 "%p0 = arith.floordivsi %i, %X : index %p1 = arith.floordivsi %j, %X : index %p2 = arith.remsi %i, %X "
                 ": index %p3 = arith.remsi %j, %X : index " +
                     isNear("%p0", "%p1", "y") + isNear("%p2", "%p3", "u") + "%m = arith.andi %y, %u : i1",
                 isNearInPlane});
  Mask dilated{
      "dilated by 4, causal",
      "%x0 = arith.subi %i, %j : index %w = arith.constant 4 : index %x1 = arith.floordivsi %x0, %w : index "
      "%x2 = arith.muli %x1, %w : index %x3 = arith.subi %x0, %x2 : index %y = arith.cmpi eq, %x3, %c0 : index "
      "%z = arith.cmpi sle, %j, %i : index %m = arith.andi %y, %z : i1",
      [](int64_t i, int64_t j) { return j <= i && (i - j) % 4 == 0; }};
  dilated.classes = 4;
  all.push_back(dilated);
}

void addMasksOfTensors(std::vector<Mask> &all) {
  auto document = [](int64_t i) { return int32_t(i / 512); };
  all.push_back({"8 documents",
                 "%x = tensor.extract %doc[%i] : tensor<?xi32> %y = tensor.extract %doc[%j] : "
                 "tensor<?xi32> %m = arith.cmpi eq, %x, %y : i32",
                 [=](int64_t i, int64_t j) { return document(i) == document(j); },
                 ", %doc: tensor<?xi32>",
                 {numbers(document)},
                 {maskedLength}});
  // Unmasked blocks of 64 by 64: the diagonal, and one in eight others.
  auto isBlockKept = [](int64_t a, int64_t b) { return a == b || (a * 37 + b * 11) % 8 == 0; };
  auto *blocks = reinterpret_cast<uint8_t *>(randomFloats(side * side / 4, 0, 1));
  for (int64_t a = 0; a < side; ++a)
    for (int64_t b = 0; b < side; ++b)
      blocks[a * side + b] = isBlockKept(a, b);
  all.push_back({"blocks of a table",
                 "%x = arith.floordivsi %i, %X : index %y = arith.floordivsi %j, %X : index %m = "
                 "tensor.extract %blocks[%x, %y] : tensor<?x?xi1>",
                 [=](int64_t i, int64_t j) { return isBlockKept(i / 64, j / 64); },
                 ", %blocks: tensor<?x?xi1>",
                 {blocks},
                 {side, side}});
  all.back().keysOfBlock = side;
  // A trunk of 512 with 7 branches of 512; each branch attends to the trunk and to itself.
  auto leave = [](int64_t i) { return int32_t(i < 512 ? maskedLength : (i / 512 + 1) * 512); };
  all.push_back({"a tree of a trunk and 7 branches",
                 "%e1 = tensor.extract %enter[%j] : tensor<?xi32> %e0 = tensor.extract %enter[%i] : tensor<?xi32> %y = "
                 "arith.cmpi sle, %e1, %e0 : i32 %l = tensor.extract %leave[%j] : tensor<?xi32> %z = arith.cmpi slt, "
                 "%e0, %l : i32 %m = arith.andi %y, %z : i1",
                 [=](int64_t i, int64_t j) { return j <= i && i < leave(j); },
                 ", %enter: tensor<?xi32>, %leave: tensor<?xi32>",
                 {numbers([](int64_t i) { return int32_t(i); }), numbers(leave)},
                 {maskedLength, maskedLength}});
}

/// The fraction of blocks with an unmasked pair. A block has queries of one residue class and keys of one class.
double shareOfBlocks(const Mask &mask) {
  AttendSchedule blocks;
  int64_t each = maskedLength / mask.classes, kept = 0, all = 0;
  auto keepsOne = [&](int64_t query, int64_t key, int64_t ofQuery, int64_t ofKey) {
    for (int64_t i = query; i < std::min(each, query + blocks.tileQ()); ++i)
      for (int64_t j = key; j < std::min(each, key + mask.keysOfBlock); ++j)
        if (mask.keeps(i * mask.classes + ofQuery, j * mask.classes + ofKey))
          return true;
    return false;
  };
  for (int64_t ofQuery = 0; ofQuery < mask.classes; ++ofQuery)
    for (int64_t ofKey = 0; ofKey < mask.classes; ++ofKey)
      for (int64_t query = 0; query < each; query += blocks.tileQ())
        for (int64_t key = 0; key < each; key += mask.keysOfBlock, ++all)
          kept += keepsOne(query, key, ofQuery, ofKey);
  return double(kept) / double(all);
}

} // namespace

void runMasks() {
  auto matrix = [](unsigned seed) { return randomFloats(size_t(maskedLength * headDim), 1, seed); };
  float *q = matrix(1), *k = matrix(2), *v = matrix(3), *o = matrix(4);
  auto prepare = [&](const CompiledKernel &compiled, const Mask &mask) {
    std::vector<void *> buffers = {q, k, v};
    std::vector<int64_t> sizes(3, mask.isPlane ? side : maskedLength);
    buffers.insert(buffers.end(), mask.operands.begin(), mask.operands.end());
    sizes.insert(sizes.end(), mask.sizes.begin(), mask.sizes.end());
    buffers.push_back(o);
    sizes.push_back(sizes.front());
    return compiled.launcher(buffers, sizes);
  };
  Mask none{"", "", {}};
  CompiledKernel fullKernel(kernel(none));
  auto full = prepare(fullKernel, none);
  auto fullPerSecond = [&] {
    double start = threadSeconds();
    full();
    return 1 / (threadSeconds() - start);
  };
  full();
  std::vector<Mask> all;
  addMasksOfIndices(all);
  addMasksOfTensors(all);
  for (const Mask &mask : all) {
    CompiledKernel masked(kernel(mask));
    auto body = prepare(masked, mask);
    double share = shareOfBlocks(mask);
    Measurement measured = measure(share, 7, body, fullPerSecond);
    fmt::print("{:40} {:8.2f} ms   {:6.2f} % of the blocks   {:5.2f} x the time of its share{}\n", mask.name,
               measured.seconds * 1e3, share * 100, 1 / measured.share,
               mask.classes > 1                              ? ", of blocks by residue"
               : mask.keysOfBlock != AttendSchedule().tileKv ? ", of 64 by 64"
                                                             : "");
  }
}

} // namespace attnc::bench
