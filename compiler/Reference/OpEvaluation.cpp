#include "compiler/Reference/OpEvaluation.h"

using namespace mlir;
using namespace attnc::reference;

int64_t OpContext::integerOf(OpFoldResult value) const {
  if (auto attribute = dyn_cast<Attribute>(value))
    return cast<IntegerAttr>(attribute).getInt();
  return integerOf(cast<Value>(value));
}

llvm::SmallVector<int64_t> OpContext::integersOf(ValueRange range) const {
  return llvm::map_to_vector(range, [&](Value value) { return integerOf(value); });
}

llvm::SmallVector<int64_t> OpContext::integersOf(ArrayRef<OpFoldResult> range) const {
  return llvm::map_to_vector(range, [&](OpFoldResult value) { return integerOf(value); });
}

int64_t OpContext::termsOfReductionsIn(Operation *op) const {
  int64_t terms = 0;
  op->walk([&](attn::ReduceOp reduce) {
    int64_t product = 1;
    for (Value size : reduce.getSizes())
      if (auto constant = getConstantIntValue(size))
        product *= *constant;
      else if (auto found = values.find(size); found != values.end())
        product *= static_cast<int64_t>(found->second->values[0]);
    terms += product;
  });
  return terms;
}
