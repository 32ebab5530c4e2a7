#include "compiler/Codegen/Halide/Read/WindowSum.h"
#include "compiler/Analysis/Fold.h"
#include "compiler/Codegen/Halide/Schedule/StageSchedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/bit.h"
#include <limits>

using namespace mlir;

namespace attnc::halide {

namespace {

/// Largest size of weights, in bytes, that remain in the second-level cache while tiles traverse the image. For larger
/// weights, packed panels are faster.
constexpr int64_t mostWeightBytes = int64_t(1) << 20;

class WindowSum {
public:
  explicit WindowSum(linalg::GenericOp op) : op(op) {}

  /// True if the op is a sum over windows; then `weights` is complete.
  bool match() {
    if (op.getNumResults() != 1 || op.getNumReductionLoops() == 0 || !isF32(op.getResult(0)) ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isProjectedPermutation())
      return false;
    auto fold = matchFold(op, 0);
    return fold && fold->kind == attn::Combine::Add && fold->term.getDefiningOp<arith::MulFOp>() &&
           isProduct(fold->term) && readsWindows;
  }

  /// True if the result's dimensions are positions in the window and the sum runs over the image, as in a gradient with
  /// respect to weights.
  bool sumsOverImage() const { return isImageSummed; }

  /// The bytes of all weights; the largest number if one has a dynamic size.
  int64_t weightBytes() const {
    int64_t bytes = 0;
    for (Value weight : weights) {
      auto type = cast<RankedTensorType>(weight.getType());
      if (!type.hasStaticShape())
        return std::numeric_limits<int64_t>::max();
      bytes += 4 * type.getNumElements();
    }
    return bytes;
  }

private:
  llvm::SetVector<Value> weights;

  static bool isF32(Value value) { return getElementTypeOrSelf(value.getType()).isF32(); }

  bool isProduct(Value value) {
    auto product = value.getDefiningOp<arith::MulFOp>();
    return product ? isProduct(product.getLhs()) && isProduct(product.getRhs()) : isPlain(value);
  }

  bool isPlain(Value factor) {
    if (auto argument = dyn_cast<BlockArgument>(factor))
      return argument.getOwner() == op.getBody() && isOperand(op->getOpOperand(argument.getArgNumber()));
    if (auto extract = factor.getDefiningOp<tensor::ExtractOp>())
      return isElement(extract);
    auto choice = factor.getDefiningOp<arith::SelectOp>();
    if (!choice || !isCondition(choice.getCondition()))
      return false;
    auto isZero = [](Value arm) { return matchPattern(arm, m_PosZeroFloat()); };
    return (isZero(choice.getFalseValue()) && isPlain(choice.getTrueValue())) ||
           (isZero(choice.getTrueValue()) && isPlain(choice.getFalseValue()));
  }

  bool isOperand(OpOperand &operand) {
    weights.insert(operand.get());
    AffineMap read = op.getMatchingIndexingMap(&operand);
    return op.isDpsInput(&operand) && isF32(operand.get()) && read.getNumResults() > 0 && read.isProjectedPermutation();
  }

  bool isElement(tensor::ExtractOp extract) {
    if (!isF32(extract) || extract.getIndices().empty())
      return false;
    bool isOfWindow = false;
    auto extents = op.getStaticLoopRanges();
    for (Value subscript : extract.getIndices()) {
      llvm::SmallBitVector loops(op.getNumLoops());
      if (!isOfIndices(subscript, loops))
        return false;
      int64_t summed = 0, ofResult = 0; // the largest extents of these loops
      for (unsigned loop : loops.set_bits()) {
        bool isSummed = op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
        int64_t extent = ShapedType::isDynamic(extents[loop]) ? std::numeric_limits<int64_t>::max() : extents[loop];
        (isSummed ? summed : ofResult) = std::max(isSummed ? summed : ofResult, extent);
      }
      isOfWindow |= summed > 0 && ofResult > 0;
      isImageSummed |= ofResult > 0 && summed > ofResult;
    }
    readsWindows |= isOfWindow;
    if (!isOfWindow)
      weights.insert(extract.getTensor());
    return true;
  }

  /// True if the value depends on indices and sizes alone; adds the loops of these indices.
  bool isOfIndices(Value value, llvm::SmallBitVector &loops) {
    if (!value.getType().isIndex())
      return false;
    Operation *maker = value.getDefiningOp();
    if (!maker || isa<tensor::DimOp, arith::ConstantOp>(maker))
      return true;
    if (auto index = dyn_cast<linalg::IndexOp>(maker)) {
      loops.set(index.getDim());
      return true;
    }
    if (auto choice = dyn_cast<arith::SelectOp>(maker))
      return isCondition(choice.getCondition()) && isOfIndices(choice.getTrueValue(), loops) &&
             isOfIndices(choice.getFalseValue(), loops);
    if (isa<arith::FloorDivSIOp, arith::RemSIOp>(maker)) {
      APInt divisor;
      return matchPattern(maker->getOperand(1), m_ConstantInt(&divisor)) && divisor.isStrictlyPositive() &&
             isOfIndices(maker->getOperand(0), loops);
    }
    return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MaxSIOp, arith::MinSIOp>(maker) &&
           llvm::all_of(maker->getOperands(), [&](Value operand) { return isOfIndices(operand, loops); });
  }

  /// True if the value is a truth value that depends on indices and sizes alone.
  bool isCondition(Value value) {
    Operation *maker = value.getDefiningOp();
    if (!maker || !value.getType().isInteger(1))
      return false;
    if (isa<arith::CmpIOp>(maker)) {
      llvm::SmallBitVector any(op.getNumLoops());
      return llvm::all_of(maker->getOperands(), [&](Value operand) { return isOfIndices(operand, any); });
    }
    return isa<arith::ConstantOp>(maker) ||
           (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(maker) &&
            llvm::all_of(maker->getOperands(), [&](Value each) { return isCondition(each); }));
  }

  linalg::GenericOp op;
  bool readsWindows = false, isImageSummed = false;
};

} // namespace

bool isWindowSum(linalg::GenericOp op) { return WindowSum(op).match(); }

/// True if another dimension than the last fills a vector, and the sum has many terms (laneDimensionOf).
static bool hasOtherLanes(linalg::GenericOp op, int64_t lanes) {
  constexpr int64_t leastTerms = leastTermsForOtherLanes;
  int64_t terms = 1;
  for (auto [size, iterator] : llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction)
      terms = ShapedType::isDynamic(size) ? leastTerms : std::min(terms * size, leastTerms);
  return terms >= leastTerms && llvm::any_of(cast<RankedTensorType>(op.getResult(0).getType()).getShape(),
                                             [&](int64_t size) { return size >= lanes; });
}

bool isFastWindowSum(linalg::GenericOp op, int64_t lanes) {
  WindowSum sum(op);
  if (!sum.match())
    return false;
  auto result = cast<RankedTensorType>(op.getResult(0).getType());
  // A dynamic size is negative.
  int64_t width = result.getRank() == 0 ? 0 : result.getShape().back();
  if (width <= 0 || (width < std::max<int64_t>(lanes / 2, 1) && !hasOtherLanes(op, lanes)))
    return false;
  int64_t vector = std::min<int64_t>(lanes, llvm::bit_floor(static_cast<uint64_t>(width)));
  return sum.weightBytes() <= mostWeightBytes ||
         (sum.sumsOverImage() && result.hasStaticShape() && width % vector == 0);
}

} // namespace attnc::halide
