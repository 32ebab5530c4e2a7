#include "compiler/Codegen/CPU/Attend/Prefill/PrefillTile.h"

using namespace mlir;

namespace attnc {

PrefillTile::PrefillTile(const PrefillContext &context, PrefillBatch &batch, QueryTile &queries, AttendMask &mask,
                         const KeySumPart &keySums, AttendScratch &scratch)
    : PrefillContext(context), batch(batch), queries(queries), mask(mask), tiles(context, scratch),
      pairs(context, batch, queries, tiles.pairs), selected(context, tiles.selected),
      scores(context, batch, queries, pairs, selected, tiles), normaliser(context, queries, pairs, selected, tiles),
      values(context, batch, queries, pairs, selected, tiles), largest(context, batch, queries, selected, tiles),
      weights(context, batch, queries, keySums, tiles.scores[0]), results(context, queries) {
  products.reserve(problem.products.size());
  for (unsigned number = 0; number < problem.products.size(); ++number)
    products.emplace_back(context, batch, queries, pairs, tiles, number);
}

void PrefillTile::emit() {
  for (ScoreProduct &product : products)
    product.pack();
  normaliser.start();
  largest.clear();
  values.clear();
  stored = values.rowsOfResult(results);
  passAll();
  for (int64_t vector = 0; results.yields(attn::Statistic::Lse) && vector < schedule.vectors; ++vector)
    results.store(attn::Statistic::Lse, vector, normaliser.lse(vector));
  for (int64_t vector = 0; results.yields(attn::Statistic::Entropy) && vector < schedule.vectors; ++vector)
    results.store(attn::Statistic::Entropy, vector, normaliser.entropy(vector));
  largest.store(results);
}

/// The rows' factors are known after their last key. They scale the weights in the second pass, or the sums of values
/// after the only one.
void PrefillTile::passAll() {
  const PassPlan &passes = problem.passes;
  if (passes.materialisesScores()) {
    normaliser.weighMaterialised(passKeys(KeyPass::Materialise));
  } else if (passes.first) {
    passKeys(*passes.first);
    normaliser.computeFactors();
  }
  if (passes.restartsSums)
    normaliser.restartSums();
  weights.clear(results);
  passKeys(passes.last);
  if (passes.isOnline())
    normaliser.computeFactors();
  values.store(results, passes.isOnline() ? tiles.rows.factors : Value());
}

//===-------------------------------------------- blocks of keys ----------------------------------------------===//

/// Where the mask is a table of blocks, a number of keys that puts each block of pairs into one row of the table; or 0.
int64_t PrefillTile::alignedStep() {
  constexpr int64_t fewest = 32;
  int64_t keysOfElement = problem.hasMask() && !problem.classes ? mask.keysOfElement() : 0;
  if (keysOfElement == 0)
    return 0;
  int64_t parts = (keysOfElement + schedule.tileKv - 1) / schedule.tileKv, step = keysOfElement / parts;
  return keysOfElement % parts == 0 && step >= fewest && step % schedule.lanes == 0 ? step : 0;
}

/// Blocks of about equal length, so that none has only a few keys. Lengths are often multiples of the default, 128.
PrefillTile::KeyLoop PrefillTile::chooseBlocks() {
  AttendMask::KeyRange range = mask.keyRange(loops, batch.allKeys(), batch.formulas);
  Value begin = batch.keysBelow(range.begin), end = batch.keysBelow(range.end);
  Value length = loops.max(loops.constant(0), loops.sub(end, begin));
  Value blocks = loops.max(loops.constant(1), loops.ceilDiv(length, schedule.tileKv));
  Value perBlock = loops.div(loops.add(length, loops.add(blocks, -1)), blocks);
  int64_t unit = traits.hasBias ? schedule.lanes : keysAtOnce; // biases are transposed in squares
  Value step = loops.mul(loops.max(loops.constant(1), loops.ceilDiv(perBlock, unit)), unit);
  if (int64_t aligned = alignedStep()) {
    step = loops.constant(aligned);
    begin = loops.mul(loops.div(begin, step), aligned);
  }
  return {begin, end, step};
}

/// Computes the blocks that may keep a pair. Returns the number of keys whose scores were materialised, if any are.
Value PrefillTile::passKeys(KeyPass pass) {
  auto [begin, end, step] = chooseBlocks();
  Values materialised = problem.passes.materialisesScores() ? Values{loops.constant(0)} : Values();
  SmallVector<Type> types = llvm::to_vector(ValueRange(materialised).getTypes());
  materialised = loops.loop(begin, end, step, materialised, [&](Value firstKey, ValueRange before) {
    KeyBlock block;
    block.firstKey = firstKey;
    block.count = loops.min(step, loops.sub(end, firstKey));
    Value endKey = loops.add(firstKey, block.count);
    // After its last keys a block of rows is followed by the one before it.
    block.isLast = loops.compare(arith::CmpIPredicate::sge, endKey, end);
    block.nextRow = loops.choose(block.isLast, loops.add(queries.firstRow, -schedule.tileQ()), queries.firstRow);
    block.nextKey = loops.choose(block.isLast, begin, endKey);
    auto bindKey = [&](Value key) { return batch.bindKey(key); };
    AttendMask::Decision decision = mask.decide(loops, firstKey, block.count, bindKey);
    block.maskKeepsAll = decision.all;
    block.firstMaterialised = before.empty() ? loops.constant(0) : before[0];
    auto skip = [&] { return Values(before); };
    auto compute = [&] {
      computeBlock(pass, block);
      return before.empty() ? Values() : Values{loops.add(block.firstMaterialised, block.count)};
    };
    auto consider = [&] {
      pairs.load(block);
      return loops.select(scores.hasSelected(decision.unsure, block), types, compute, skip);
    };
    return loops.select(decision.some, types, consider, skip);
  });
  return materialised.empty() ? Value() : materialised[0];
}

/// Products and scores of a block; the rows' largest scores so far, if the normaliser uses them.
LoopBuilder::Values PrefillTile::computeScores(KeyPass pass, const KeyBlock &block) {
  normaliser.startBlock();
  for (ScoreProduct &product : products)
    product.compute(block, pass == problem.passes.last ? stored : StridedRows());
  return scores.compute(block);
}

void PrefillTile::computeBlock(KeyPass pass, KeyBlock block) {
  Values newMaxima;
  if (problem.passes.computesScores(pass))
    newMaxima = computeScores(pass, block);
  if (problem.passes.isFirst(pass)) {
    scores.check(block);
    if (problem.yieldsTop())
      largest.insert(block);
  }
  if (pass == KeyPass::Materialise)
    return normaliser.materialise(block, newMaxima);
  block.allSelected = traits.dropsByMaskAlone ? block.maskKeepsAll : loops.boolean(false);
  Values corrections = normaliser.weigh(pass, block, newMaxima);
  if (pass == KeyPass::Statistics)
    return;
  if (problem.hasValue()) {
    values.check(block);
    values.accumulate(block, corrections);
  }
  weights.store(results, block);
  if (problem.yields(attn::Statistic::KeySums))
    weights.addKeySums(block);
}

} // namespace attnc
