#include "compiler/Analysis/DataSubscripts.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace attnc {

bool comesFromData(Value subscript) {
  Operation *definer = subscript.getDefiningOp();
  if (!definer || isa<tensor::DimOp>(definer))
    return !subscript.getType().isIndex();
  if (auto select = dyn_cast<arith::SelectOp>(definer))
    return comesFromData(select.getTrueValue()) || comesFromData(select.getFalseValue());
  // A cast of an index to i32 and back is the identity, because no size exceeds 2^31.
  if (auto cast = dyn_cast<arith::IndexCastOp>(definer))
    if (auto inner = cast.getIn().getDefiningOp<arith::IndexCastOp>(); inner && inner.getIn().getType().isIndex())
      return comesFromData(inner.getIn());
  bool isOfIndices = llvm::all_of(definer->getOperandTypes(), [](Type type) { return type.isIndex(); });
  return !isOfIndices || llvm::any_of(definer->getOperands(), comesFromData);
}

static bool isListed(tensor::ExtractOp op, StringRef attribute, unsigned number) {
  auto numbers = op->getAttrOfType<DenseI64ArrayAttr>(attribute);
  return numbers && llvm::is_contained(numbers.asArrayRef(), int64_t(number));
}

bool isProved(tensor::ExtractOp op, unsigned number) { return isListed(op, attn::provedAttrName, number); }

bool needsCheck(tensor::ExtractOp op, unsigned number) {
  if (isProved(op, number))
    return false;
  APInt constant;
  if (!matchPattern(op.getIndices()[number], m_ConstantInt(&constant)))
    return isListed(op, attn::unprovedAttrName, number) || comesFromData(op.getIndices()[number]);
  // The size is dynamic, 0 or too small (ShapedType::kDynamic is negative).
  int64_t size = cast<RankedTensorType>(op.getTensor().getType()).getDimSize(number);
  return !constant.isZero() && (constant.isNegative() || constant.getSExtValue() >= size);
}

SmallVector<Value> unprovedSubscripts(tensor::ExtractOp op) {
  SmallVector<Value> found;
  for (auto [number, subscript] : llvm::enumerate(op.getIndices()))
    if (isListed(op, attn::unprovedAttrName, number))
      found.push_back(subscript);
  return found;
}

static bool isComputedFrom(Value value, ArrayRef<Value> sources) {
  if (llvm::is_contained(sources, value))
    return true;
  Operation *definer = value.getDefiningOp();
  return definer && !sources.empty() && llvm::any_of(definer->getOperands(), [&](Value operand) {
           return operand.getType().isIntOrIndex() && isComputedFrom(operand, sources);
         });
}

void markUnproved(tensor::ExtractOp op, ArrayRef<Value> unproved) {
  SmallVector<int64_t> numbers;
  for (auto [number, subscript] : llvm::enumerate(op.getIndices()))
    if (isComputedFrom(subscript, unproved))
      numbers.push_back(int64_t(number));
  op->removeAttr(attn::unprovedAttrName);
  if (!numbers.empty())
    op->setAttr(attn::unprovedAttrName, DenseI64ArrayAttr::get(op.getContext(), numbers));
}

bool needsCheck(Value subscript, ArrayRef<Value> unproved) {
  return comesFromData(subscript) || isComputedFrom(subscript, unproved);
}

bool readsByData(tensor::ExtractOp op) {
  return llvm::any_of(llvm::seq<unsigned>(0, op.getIndices().size()),
                      [&](unsigned number) { return needsCheck(op, number); });
}

bool readsByData(Region &region) {
  auto visit = [](tensor::ExtractOp op) { return readsByData(op) ? WalkResult::interrupt() : WalkResult::advance(); };
  return region.walk(visit).wasInterrupted();
}

} // namespace attnc
