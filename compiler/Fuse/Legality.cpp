#include "compiler/Fuse/Legality.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/Subscripts.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

std::optional<Reason> whyNotEpilogue(linalg::GenericOp consumer, OpOperand &use) {
  if (consumer.getNumReductionLoops() != 0)
    return Reason::RowAfterTile;
  if (!isPointwise(consumer) || !consumer.isDpsInput(&use) || consumer.getNumResults() != 1)
    return Reason::NotPointwise;
  if (!isElementFunction(consumer))
    return Reason::EpilogueSubscript;
  if (!consumer.getMatchingIndexingMap(&use).isIdentity())
    return Reason::EpilogueLayout;
  for (OpOperand *operand : consumer.getDpsInputOperands())
    if (!plainDims(consumer.getMatchingIndexingMap(operand)))
      return Reason::EpilogueLayout;
  return std::nullopt;
}

std::optional<RowRole> rowRole(linalg::GenericOp op, unsigned rows) {
  unsigned loops = op.getNumLoops();
  if (op.getNumReductionLoops() == 0)
    return !isPointwise(op)    ? std::nullopt
           : loops == rows     ? std::optional(RowRole::Scalar)
           : loops == rows + 1 ? std::optional(RowRole::Map)
                               : std::nullopt;
  if (loops != rows + 1 || op.getNumReductionLoops() != 1 ||
      op.getIteratorTypesArray().back() != utils::IteratorType::reduction)
    return std::nullopt;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.getMatchingIndexingMap(&init) !=
        AffineMap::getMultiDimIdentityMap(loops, op.getContext()).getMajorSubMap(rows))
      return std::nullopt;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto dims = plainDims(op.getMatchingIndexingMap(operand));
    // The elements of a row have to be contiguous.
    if (!dims || (llvm::is_contained(*dims, rows) && dims->back() != rows))
      return std::nullopt;
  }
  return RowRole::Reduction;
}

bool isFormulaTooLarge(linalg::GenericOp producer, linalg::GenericOp consumer) {
  constexpr size_t mostOperations = 256, mostInputs = 64;
  return producer.getBody()->getOperations().size() + consumer.getBody()->getOperations().size() > mostOperations ||
         producer.getNumDpsInputs() + consumer.getNumDpsInputs() > int64_t(mostInputs);
}

std::optional<Reason> whyNotRowLocal(linalg::GenericOp reader, Value value, unsigned rows) {
  auto rank = static_cast<unsigned>(cast<RankedTensorType>(value.getType()).getRank());
  for (OpOperand *operand : reader.getDpsInputOperands()) {
    if (operand->get() != value)
      continue;
    AffineMap map = reader.getMatchingIndexingMap(operand);
    if (map != AffineMap::getMultiDimIdentityMap(reader.getNumLoops(), reader.getContext()).getMajorSubMap(rank))
      return Reason::DifferentRows;
  }
  for (OpOperand &init : reader.getDpsInitsMutable())
    if (init.get() == value)
      return Reason::DifferentRows;
  bool otherRows = false, byData = false;
  reader.getBody()->walk([&](tensor::ExtractOp extract) {
    if (extract.getTensor() != value)
      return;
    for (auto [position, subscript] : llvm::enumerate(extract.getIndices())) {
      auto index = subscript.getDefiningOp<linalg::IndexOp>();
      if (position < rows && !(index && index.getDim() == position))
        otherRows = true;
      if (position >= rows && !index)
        byData = true;
    }
  });
  if (otherRows)
    return Reason::DifferentRows;
  return byData ? std::optional(Reason::ReadByData) : std::nullopt;
}

} // namespace attnc
