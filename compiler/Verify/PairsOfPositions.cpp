// Records the dimensions of queries and keys where scores are computed.
#include "compiler/Verify/Shapes.h"
#include "dialects/Attn/Attn.h"

using namespace mlir;

namespace attnc::verify {

void Shapes::noteScores(Operation &op, const Frame &frame) {
  auto noteAttention = [&](ValueRange outer, ValueRange keys) {
    for (Value key : keys)
      if (!outer.empty())
        notePairs(number(outer.back(), frame), number(key, frame));
  };
  if (auto attend = dyn_cast<attn::AttendOp>(op))
    noteAttention(attend.getOuterSizes(), attend.getKeySizes());
  if (auto gradient = dyn_cast<attn::AttendGradientOp>(op))
    noteAttention(gradient.getOuterSizes(), gradient.getKeySizes());
  if (auto computation = dyn_cast<linalg::LinalgOp>(op))
    noteContraction(computation, frame);
}

/// sum over k of a[.., i, k] * b[.., j, k]: pairs i, an index of a alone, with j, an index of b alone.
void Shapes::noteContraction(linalg::LinalgOp op, const Frame &frame) {
  unsigned count = op.getNumLoops();
  std::vector<Size> extents(count);
  std::vector<llvm::SmallBitVector> operandLoops;
  for (OpOperand &operand : op->getOpOperands()) {
    llvm::SmallBitVector loops(count);
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Shape shape = shapeOf(operand.get(), frame);
    for (auto [position, index] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(index); loop && position < shape.size())
        extents[loop.getPosition()] = shape[position];
    for (unsigned loop = 0; loop < count; ++loop)
      loops[loop] = map.isFunctionOfDim(loop);
    if (op.isDpsInput(&operand))
      operandLoops.push_back(loops);
  }
  llvm::SmallBitVector summed(count), parallel(count);
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    (kind == utils::IteratorType::reduction ? summed : parallel).set(loop);
  for (const llvm::SmallBitVector &a : operandLoops)
    for (const llvm::SmallBitVector &b : operandLoops) {
      llvm::SmallBitVector shared = a, queries = a, keys = b;
      shared &= b;
      if (!shared.anyCommon(summed))
        continue;
      queries.reset(b);
      keys.reset(a);
      for (unsigned query : (queries &= parallel).set_bits())
        for (unsigned key : (keys &= parallel).set_bits())
          notePairs(extents[query], extents[key]);
    }
}

void Shapes::notePairs(const Size &queries, const Size &keys) {
  for (unsigned a = 0; queries && keys && a + 1 < symbols.size(); ++a)
    for (unsigned b = 0; b + 1 < symbols.size(); ++b)
      if (std::pair pair(a, b); queries->mentions(a) && keys->mentions(b) && !llvm::is_contained(pairs, pair))
        pairs.push_back(pair);
}

bool Shapes::growsAsAllPairs(const SizeExpr &size) const {
  return llvm::any_of(pairs, [&](auto pair) { return size.hasProductOf(pair.first, pair.second); });
}

std::string Shapes::pairsText() const {
  std::vector<std::string> texts;
  for (auto [query, key] : pairs)
    if (std::string text = symbols[query] + " x " + symbols[key];
        !llvm::is_contained(texts, text) && !llvm::is_contained(texts, symbols[key] + " x " + symbols[query]))
      texts.push_back(text);
  return llvm::join(texts, ", ");
}

} // namespace attnc::verify
