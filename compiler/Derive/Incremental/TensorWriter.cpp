#include "compiler/Derive/Incremental/TensorWriter.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace attnc {

SmallVector<ReassociationIndices> groupsWithSplit(int64_t rank, int64_t dimension) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t each = 0, next = 0; each < rank; ++each) {
    groups.push_back({next++});
    if (each == dimension)
      groups.back().push_back(next++);
  }
  return groups;
}

Value TensorWriter::generate(ArrayRef<Value> sizes, Type element, function_ref<Value(ValueRange indices)> body) {
  SmallVector<OpFoldResult> extents;
  for (Value size : sizes)
    extents.push_back(getAsOpFoldResult(size));
  Value init = tensor::EmptyOp::create(builder, at, extents, element);
  SmallVector<utils::IteratorType> iterators(sizes.size(), utils::IteratorType::parallel);
  auto write = [&](OpBuilder &inside, Location, ValueRange) {
    OpBuilder::InsertionGuard guard(builder);
    builder.restoreInsertionPoint(inside.saveInsertionPoint());
    SmallVector<Value> indices;
    for (unsigned loop = 0; loop < sizes.size(); ++loop)
      indices.push_back(linalg::IndexOp::create(builder, at, loop));
    Value value = body(indices);
    linalg::YieldOp::create(builder, at, value);
  };
  return linalg::GenericOp::create(builder, at, init.getType(), ValueRange(), init,
                                   builder.getMultiDimIdentityMap(sizes.size()), iterators, write)
      .getResult(0);
}

Value TensorWriter::reduce(Value init, ValueRange inputs, function_ref<Value(ValueRange elements)> combine) {
  unsigned numParallel = cast<RankedTensorType>(init.getType()).getRank();
  unsigned rank = cast<RankedTensorType>(inputs[0].getType()).getRank();
  SmallVector<Value> operands(inputs);
  operands.push_back(init);
  SmallVector<AffineMap> maps;
  for (Value operand : operands) {
    unsigned own = cast<RankedTensorType>(operand.getType()).getRank();
    AffineMap all = builder.getMultiDimIdentityMap(rank);
    maps.push_back(AffineMap::get(rank, 0, all.getResults().take_front(own), builder.getContext()));
  }
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::reduction);
  std::fill_n(iterators.begin(), numParallel, utils::IteratorType::parallel);
  auto write = [&](OpBuilder &inside, Location, ValueRange elements) {
    OpBuilder::InsertionGuard guard(builder);
    builder.restoreInsertionPoint(inside.saveInsertionPoint());
    Value value = combine(elements);
    linalg::YieldOp::create(builder, at, value);
  };
  return linalg::GenericOp::create(builder, at, init.getType(), inputs, init, maps, iterators, write).getResult(0);
}

SmallVector<Value> TensorWriter::inlineCall(func::FuncOp function, ValueRange operands) {
  IRMapping values;
  for (auto [argument, operand] : llvm::zip_equal(function.getArguments(), operands)) {
    Value cast = operand;
    if (operand.getType() != argument.getType())
      cast = tensor::CastOp::create(builder, at, argument.getType(), operand);
    values.map(argument, cast);
  }
  for (Operation &op : function.front().without_terminator())
    builder.clone(op, values);
  return llvm::map_to_vector(function.front().getTerminator()->getOperands(),
                             [&](Value result) { return values.lookupOrDefault(result); });
}

SmallVector<Value> TensorWriter::sizesOf(Value tensor) {
  SmallVector<Value> sizes;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
    if (type.isDynamicDim(dimension))
      sizes.push_back(tensor::DimOp::create(builder, at, tensor, dimension));
    else
      sizes.push_back(arith::ConstantIndexOp::create(builder, at, type.getDimSize(dimension)));
  return sizes;
}

} // namespace attnc
