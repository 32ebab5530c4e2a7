// Compares mutants of an attention kernel with the oracle: it catches nearly all, and the rest change no result.
#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include "tests/mutation/MutationSuite.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

/// Attention in a causal window over blocks of 16 keys: rows are rescaled, blocks are partly masked or skipped, and
/// some rows are empty. The choices vary the lengths and include NaN and infinity.
Subject windowedAttention() {
  AttendKernel kernel;
  kernel.dim = 24, kernel.valueDim = 20, kernel.group = 2;
  kernel.schedule = "form = \"prefill\", tile_kv = 16 : i64, tail_q = 0 : i64";
  kernel.mask = "%behind = arith.subi %i, %j : index %width = arith.constant 100 : index "
                "%near = arith.cmpi slt, %behind, %width : index %past = arith.cmpi sle, %j, %i : index "
                "%m = arith.andi %near, %past : i1";
  kernel.yields = "\"value\", \"lse\"";
  Subject subject{kernel.text(), {}, 2e-5};
  auto add = [&](int64_t queries, int64_t keys, float range) -> std::vector<HostArray> & {
    kernel.queries = queries, kernel.keys = keys;
    return subject.choices.emplace_back(Choice{kernel.operands(range), kernel.resultShapes()}).operands;
  };
  add(190, 200, 1);
  add(190, 200, 12);
  add(5, 40, 1);
  add(130, 17, 1);
  std::vector<HostArray> &special = add(190, 200, 1);
  special[1].f32()[24 * 10] = std::numeric_limits<float>::quiet_NaN();
  special[1].f32()[24 * 50] = std::numeric_limits<float>::infinity();
  return subject;
}

/// The decode form: two queries of each head, pairs of which share keys, in several splits and blocks.
Subject fewQueries() {
  AttendKernel kernel;
  kernel.dim = 24, kernel.valueDim = 20, kernel.group = 2;
  kernel.heads = 4, kernel.queries = 2, kernel.hasStaticQueries = true;
  kernel.schedule = "split_kv = 304 : i64";
  kernel.mask = "%distance = arith.subi %j, %i : index %begin = arith.constant 70 : index "
                "%m = arith.cmpi sge, %distance, %begin : index";
  kernel.yields = "\"value\", \"lse\"";
  Subject subject{kernel.text(), {}, 2e-5};
  for (auto [keys, range] : {std::pair(700, 1), {390, 12}, {305, 1}, {71, 1}}) {
    kernel.keys = keys;
    subject.choices.push_back({kernel.operands(float(range)), kernel.resultShapes()});
  }
  subject.choices[0].operands[2].f32()[20 * 10] = std::numeric_limits<float>::quiet_NaN(); // of a masked pair
  return subject;
}

TEST(AttendMutation, TheKernelsThemselvesAgree) {
  EXPECT_TRUE(MutationSuite(windowedAttention()).kernelAgrees());
  EXPECT_TRUE(MutationSuite(fewQueries()).kernelAgrees());
}

TEST(AttendMutation, Window) { MutationSuite(windowedAttention()).expectCaught(5, 0.65); }

/// Mutants of prefetches, which change no result, and of guards against subnormal weights survive.
TEST(AttendMutation, FewQueries) { MutationSuite(fewQueries()).expectCaught(4, 0.6); }

} // namespace
} // namespace attnc
