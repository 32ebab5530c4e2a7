#include "compiler/Derive/Gradient.h"
#include "compiler/Derive/Reverse.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include <map>
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
  auto product = [](ArrayRef<int64_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
  };
  Value total; // sum of the terms of all elements at once
  // By the number of leading counts that the term of one element has indices for: lists of these terms, the counts
  // flattened.
  std::map<size_t, Value> lists;
  for (auto &[each, term] : terms) {
    if (each.parameter != parameter)
      continue;
    size_t depth = each.indices.size();
    if (depth == 0) {
      total = total ? addElementwise(builder, at, total, term) : term;
      continue;
    }
    Value place = arith::ConstantIndexOp::create(builder, at, 0);
    for (auto [size, index] : llvm::zip_equal(counts.take_front(depth), each.indices)) {
      Value scaled = arith::MulIOp::create(builder, at, place, arith::ConstantIndexOp::create(builder, at, size));
      place = arith::AddIOp::create(builder, at, scaled, index);
    }
    SmallVector<int64_t> flat = {product(counts.take_front(depth))};
    llvm::append_range(flat, counts.drop_front(depth));
    Value &list = lists[depth];
    if (list)
      list = model::WithElementOp::create(builder, at, list.getType(), term, list, place);
    else
      list = oneElementList(builder, at, term, place, empty(listOf(flat)));
  }
  for (auto &[depth, list] : lists) {
    Value whole = list;
    if (depth > 1) {
      SmallVector<ReassociationIndices> groups = {llvm::to_vector(llvm::seq<int64_t>(0, depth))};
      for (int64_t dimension = depth; dimension < int64_t(counts.size()) + element.getRank(); ++dimension)
        groups.push_back({dimension});
      whole = tensor::ExpandShapeOp::create(builder, at, listOf(counts), list, groups);
    }
    total = total ? addElementwise(builder, at, total, whole) : whole;
  }
  return total ? total : zeros(listOf(counts));
}

/// Activates those results of `range`, ops of one block, that depend on an active value or a requested parameter, and
/// applies the rules of the ops to the cotangent 1 of `loss`.
static LogicalResult differentiate(BlockCotangents &cotangents, llvm::iterator_range<Block::iterator> range, Value loss,
                                   ResidualChoice &choice) {
  SmallVector<Operation *> ops;
  for (Operation &op : range)
    if (llvm::any_of(op.getResults(), isReal))
      ops.push_back(&op);
  OpBuilder &builder = cotangents.builder;
  cotangents.propagate(ops);
  Value empty = tensor::EmptyOp::create(builder, loss.getLoc(), ArrayRef<int64_t>(), builder.getF32Type());
  Value one = arith::ConstantOp::create(builder, loss.getLoc(), builder.getF32FloatAttr(1));
  cotangents.addTerm(loss, linalg::FillOp::create(builder, loss.getLoc(), one, empty).getResult(0));
  return reverse(cotangents, ops, choice);
}

static LogicalResult deriveNestedGradient(attn::GradientOp gradient) {
  auto first = std::next(gradient.getVariable().getDefiningOp()->getIterator());
  OpBuilder builder(gradient);
  llvm::DenseSet<Operation *> parameters; // none
  ResidualChoice choice;                  // loops store all residuals
  BlockCotangents cotangents(builder, parameters);
  cotangents.activate(gradient.getVariable());
  if (failed(differentiate(cotangents, {first, gradient->getIterator()}, gradient.getValue(), choice)))
    return failure();
  Value found = cotangents.cotangent(gradient.getVariable());
  if (!found)
    found = zerosLike(builder, gradient.getLoc(), gradient.getVariable());
  gradient.replaceAllUsesWith(attn::StopOp::create(builder, gradient.getLoc(), found).getResult());
  gradient.erase();
  return success();
}

LogicalResult deriveNestedGradients(func::FuncOp function) {
  SmallVector<attn::GradientOp> gradients;
  function.walk([&](attn::GradientOp gradient) { gradients.push_back(gradient); });
  if (!gradients.empty())
    function.walk([](attn::AttendOp op) { saveStatistics(op); });
  for (attn::GradientOp gradient : gradients)
    if (failed(deriveNestedGradient(gradient)))
      return failure();
  function.walk([](attn::VariableOp variable) {
    variable.replaceAllUsesWith(variable.getOperand());
    variable.erase();
  });
  return success();
}

FailureOr<Gradients> appendGradients(const GradientRequest &request) {
  func::FuncOp function = request.function;
  function.walk([](attn::AttendOp op) { saveStatistics(op); });
  Block &block = function.getBody().front();
  OpBuilder builder(block.getTerminator());
  llvm::DenseSet<Operation *> requested;
  for (model::ParameterOp parameter : request.parameters)
    requested.insert(parameter);
  ResidualChoice choice(function);
  BlockCotangents cotangents(builder, requested);
  for (BlockArgument argument : request.arguments)
    cotangents.activate(argument);
  if (failed(differentiate(cotangents, block.without_terminator(), request.loss, choice)))
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
