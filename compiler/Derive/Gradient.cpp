#include "compiler/Derive/Gradient.h"
#include "compiler/Derive/Reverse.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include <numeric>

using namespace mlir;

namespace attnc {

/// A parameter's gradient, of type tensor<counts x shape>, from the terms of its elements.
static Value wholeGradient(OpBuilder &builder, model::ParameterOp parameter,
                           const BlockCotangents::ParameterTerms &terms) {
  auto element = cast<RankedTensorType>(parameter.getType());
  Location at = parameter.getLoc();
  auto listOf = [&](ArrayRef<int64_t> counts) {
    SmallVector<int64_t> shape(counts);
    llvm::append_range(shape, element.getShape());
    return RankedTensorType::get(shape, element.getElementType());
  };
  auto empty = [&](RankedTensorType type) {
    return tensor::EmptyOp::create(builder, at, type.getShape(), type.getElementType()).getResult();
  };
  auto zeros = [&](RankedTensorType type) { return zerosLike(builder, at, empty(type)); };
  ArrayRef<int64_t> counts = parameter.getCounts();
  int64_t count = std::accumulate(counts.begin(), counts.end(), int64_t(1), std::multiplies<>());
  Value total, list; // sum of the terms of all elements at once; of terms of single elements, counts flattened
  for (auto &[each, term] : terms) {
    if (each.parameter != parameter)
      continue;
    if (each.indices.empty()) {
      total = total ? addElementwise(builder, at, total, term) : term;
      continue;
    }
    Value place = arith::ConstantIndexOp::create(builder, at, 0);
    for (auto [size, index] : llvm::zip_equal(counts, each.indices)) {
      Value scaled = arith::MulIOp::create(builder, at, place, arith::ConstantIndexOp::create(builder, at, size));
      place = arith::AddIOp::create(builder, at, scaled, index);
    }
    if (list)
      list = model::WithElementOp::create(builder, at, list.getType(), term, list, place);
    else
      list = oneElementList(builder, at, term, place, empty(listOf(count)));
  }
  if (list && counts.size() > 1) {
    SmallVector<ReassociationIndices> groups = {llvm::to_vector(llvm::seq<int64_t>(0, counts.size()))};
    for (int64_t dimension = 0; dimension < element.getRank(); ++dimension)
      groups.push_back({static_cast<int64_t>(counts.size()) + dimension});
    list = tensor::ExpandShapeOp::create(builder, at, listOf(counts), list, groups);
  }
  if (total && list)
    return addElementwise(builder, at, total, list);
  return total ? total : list ? list : zeros(listOf(counts));
}

FailureOr<Gradients> appendGradients(const GradientRequest &request) {
  func::FuncOp function = request.function;
  function.walk([](attn::AttendOp op) { saveStatistics(op); });
  Block &block = function.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    if (llvm::any_of(op.getResults(), isReal))
      ops.push_back(&op);

  OpBuilder builder(block.getTerminator());
  llvm::DenseSet<Operation *> requested;
  for (model::ParameterOp parameter : request.parameters)
    requested.insert(parameter);
  ResidualChoice choice(function);
  BlockCotangents cotangents(builder, requested);
  for (BlockArgument argument : request.arguments)
    cotangents.activate(argument);
  cotangents.propagate(ops);
  Value empty = tensor::EmptyOp::create(builder, request.loss.getLoc(), ArrayRef<int64_t>(), builder.getF32Type());
  Value one = arith::ConstantOp::create(builder, request.loss.getLoc(), builder.getF32FloatAttr(1));
  cotangents.addTerm(request.loss, linalg::FillOp::create(builder, request.loss.getLoc(), one, empty).getResult(0));
  if (failed(reverse(cotangents, ops, choice)))
    return failure();
  choice.writeTo(function);

  Gradients gradients;
  for (BlockArgument argument : request.arguments) {
    Value found = cotangents.cotangent(argument);
    gradients.arguments.push_back(found ? found : zerosLike(builder, argument.getLoc(), argument));
  }
  for (model::ParameterOp parameter : request.parameters)
    gradients.parameters.push_back(wholeGradient(builder, parameter, cotangents.parameterTerms));
  return gradients;
}

} // namespace attnc
