#include "compiler/Codegen/CPU/AttendGradient/Tiled/PairTerms.h"

using namespace mlir;

namespace attnc {

RegionVectoriser bindPairs(GradientPhase &phase, const RegionVectoriser &row, const PairBlock &block, Value lane) {
  FlatBuilder &loops = phase.loops;
  RegionVectoriser pair = row;
  Value first = loops.add(block.firstKey, lane);
  for (auto [dimension, index] : llvm::enumerate(steppingSubscripts(loops, first, phase.keySizes)))
    bindKeyIndex(phase.attend, pair, dimension, index);
  if (!block.isWhole)
    pair.setActiveLanes(loops.max(loops.constant(0), loops.sub(block.keyCount, lane)));
  return pair;
}

Value PairTerms::needsClearing(unsigned result) const {
  auto term = llvm::find_if(problem.terms, [&](auto &each) { return each.result == result && each.hasElementPerPair; });
  if (term == problem.terms.end())
    return {};
  Value needs = loops.boolean(false);
  for (auto [dimension, number] : llvm::enumerate(term->indices)) {
    size_t outer = phase.outerSizes.size();
    Value size = number < outer ? phase.outerSizes[number] : phase.keySizes[number - outer];
    Value extent = loops.sizeOf(phase.frame.result(result), dimension);
    needs = loops.either(needs, loops.compare(arith::CmpIPredicate::ne, size, extent));
  }
  // Without a batch, no element is stored.
  for (unsigned number : term->sharedBy)
    needs = loops.either(needs, loops.equal(phase.outerSizes[problem.batchDims[number].dimension], loops.constant(0)));
  return needs;
}

void PairTerms::openBatch() {
  isFirst.clear();
  for (const GradientTerm &term : problem.terms) {
    Value first;
    if (term.hasElementPerPair) {
      first = loops.boolean(true);
      for (unsigned number : term.sharedBy)
        first = loops.both(first, loops.equal(phase.memberOfBatchDim[number], loops.constant(0)));
    }
    isFirst.push_back(first);
  }
}

void PairTerms::clear(const PairBlock &block) const {
  for (auto [term, first] : llvm::zip(problem.terms, isFirst)) {
    if (!first)
      continue;
    loops.when(first, [&, &term = term, first = first] {
      loops.loop(loops.constant(0), block.rowCount, loops.constant(1), [&](Value row) {
        RegionVectoriser point = phase.bindRow(loops.add(block.firstRow, row));
        Value lanes = loops.constant(schedule.lanes);
        loops.loop(loops.constant(0), block.keyCount, lanes, [&](Value lane) {
          RegionVectoriser pair = bindPairs(phase, point, block, lane);
          elements.add(term.result, term.extract, pair, loops.splat(0.0), first);
        });
      });
    });
  }
}

void PairTerms::add(RegionVectoriser &pair, function_ref<Value(Value)> gradientOf) const {
  for (auto [term, first] : llvm::zip(problem.terms, isFirst))
    elements.add(term.result, term.extract, pair, gradientOf(term.partial), first);
}

} // namespace attnc
