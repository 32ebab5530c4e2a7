#include "compiler/Codegen/CPU/Attend/Prefill/PrefillTiles.h"

using namespace mlir;

namespace attnc {

static PrefillTiles::Additive takeAdditive(const PrefillContext &context, const PairReduction &product,
                                           AttendScratch &scratch) {
  SizeExpr features = product.features.alignTo(context.schedule.lanes);
  PrefillTiles::Additive tiles;
  tiles.rowPowers = scratch.take(features, context.schedule.tileQ());
  tiles.keyPowers = scratch.take(features * SizeExpr(context.schedule.tileKv), 1);
  tiles.coefficients = scratch.take(features, 1);
  tiles.featuresOfKey = context.frame.size(features);
  return tiles;
}

PrefillTiles::PrefillTiles(const PrefillContext &context, AttendScratch &scratch) {
  const AttendProblem &problem = context.problem;
  const AttendSchedule &schedule = context.schedule;
  Type i32 = context.frame.builder.getI32Type();
  bool materialisesScores = problem.passes.materialisesScores();
  int64_t columns = schedule.tileQ();
  for (const PairReduction &product : problem.products) {
    auto &tiles = queries.emplace_back();
    for (size_t i = 0; i < product.rowExtracts.size(); ++i)
      tiles.push_back(scratch.take(product.features.alignTo(schedule.lanes), columns));
  }
  for (const PairReduction &product : problem.products)
    additive.push_back(product.tanhs ? takeAdditive(context, product, scratch) : Additive());
  for (size_t i = 0; i < std::max<size_t>(1, problem.products.size()); ++i)
    scores.push_back(scratch.take(schedule.tileKv, columns));
  values = scratch.take(problem.hasValue() ? problem.values.alignTo(schedule.lanes) : SizeExpr(0), columns);
  materialised = scratch.take(materialisesScores ? problem.keys : SizeExpr(0), columns);
  SizeExpr flagged = materialisesScores ? problem.keys : SizeExpr(schedule.tileKv);
  selected =
      scratch.take(context.traits.dropsPairs ? flagged : SizeExpr(0), schedule.vectors, context.loops.flagsType());
  for (const PairExtract &extract : problem.pairExtracts) {
    bool isFloat = tensor::ExtractOp(extract.op).getType().isF32();
    Value &tile = pairs.emplace_back();
    if (!extract.isBias())
      tile = scratch.take(schedule.tileKv, columns, isFloat ? Type() : i32);
  }
  rows.maxima = scratch.take(1, columns);
  rows.blockMaxima = scratch.take(1, columns);
  rows.sums = scratch.take(1, columns);
  rows.factors = scratch.take(1, columns);
  rows.logSums = scratch.take(problem.yields(attn::Statistic::Entropy) ? 1 : 0, columns);
  int64_t ranks = problem.top();
  top.scores = scratch.take(ranks, columns);
  top.keys = scratch.take(ranks, columns, i32);
  top.rows = scratch.take(materialisesScores ? ranks : 0, columns, i32);
}

} // namespace attnc
