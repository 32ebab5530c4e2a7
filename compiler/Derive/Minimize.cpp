#include "compiler/Derive/Minimize.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Derive/CotangentTensors.h"
#include "compiler/Derive/Gradient.h"
#include "dialects/Model/Lists.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace attnc {
namespace {

class Minimization {
public:
  explicit Minimization(func::FuncOp function)
      : function(function), module(function->getParentOfType<ModuleOp>()), builder(function),
        minimize(function->getAttrOfType<model::MinimizeAttr>(model::minimizeAttrName)), at(function.getLoc()) {}

  LogicalResult run() {
    Operation *terminator = function.getBody().front().getTerminator();
    GradientRequest request;
    request.function = function;
    request.loss = terminator->getOperand(0);
    for (model::StepAttr step : minimize.getSteps())
      request.parameters.push_back(module.lookupSymbol<model::ParameterOp>(step.getParameter()));
    FailureOr<Gradients> gradients = appendGradients(request);
    if (failed(gradients))
      return failure();
    // States that the function updates are set after all their readers, including the backward pass.
    SmallVector<Operation *> sets;
    for (Operation &op : terminator->getBlock()->without_terminator())
      if (isa<model::SetOp>(op) || (isa<scf::ForOp>(op) && op.getNumResults() == 0))
        sets.push_back(&op);
    for (Operation *set : sets)
      set->moveBefore(terminator);
    if (minimize.getBatches() > 1)
      accumulate(*gradients);
    builder.setInsertionPoint(terminator);
    if (minimize.getClipNorm().getValueAsDouble() > 0)
      factor = clippingFactor(gradients->parameters);
    auto [count, number] = nextCount();
    for (auto [step, gradient] : llvm::zip_equal(minimize.getSteps(), gradients->parameters)) {
      auto parameter = module.lookupSymbol<model::ParameterOp>(step.getParameter());
      LogicalResult updated = success();
      model::forEachElement(builder, at, gradient, parameter.getCounts(),
                            [&, number = number](Value element, ValueRange elementIndex) {
                              updated = updateParameter(step, element, number, elementIndex);
                            });
      if (failed(updated))
        return failure();
    }
    model::SetOp::create(builder, at, minimize.getCount(), ValueRange(), count);
    function->removeAttr(model::minimizeAttrName);
    return success();
  }

private:
  func::FuncOp function;
  ModuleOp module;
  OpBuilder builder;
  model::MinimizeAttr minimize;
  Location at;
  Value factor;     ///< factor of all gradients; null if it is `share`
  double share = 1; ///< 1 / batches

  using Body = function_ref<Value(OpBuilder &, ValueRange)>;
  Value map(Type element, ValueRange inputs, ArrayRef<AffineMap> inputMaps, ArrayRef<OpFoldResult> sizes, Body body);
  Value scalar(Type element, ValueRange inputs, Body body);
  Value sumOfSquares(Value tensor);
  Value sumOf(Value tensor, unsigned kept, bool squared);
  Value times(OpBuilder &inner, Value x, double number) {
    if (number == 1)
      return x;
    Value constant = arith::ConstantOp::create(inner, at, inner.getF32FloatAttr(static_cast<float>(number)));
    return arith::MulFOp::create(inner, at, x, constant);
  }
  void takeBatches(scf::ForOp loop);
  void accumulate(Gradients &gradients);
  Value clippingFactor(ArrayRef<Value> gradients);
  Value scaled(Value gradient);
  std::pair<Value, Value> nextCount();
  LogicalResult readsNoTrained(func::FuncOp optimizer);
  LogicalResult setInOrder(ArrayRef<FlatSymbolRefAttr> targets, ArrayRef<Value> before, ArrayRef<Value> after,
                           ValueRange elementIndex);
  LogicalResult updateParameter(model::StepAttr step, Value gradient, Value number, ValueRange elementIndex);
};

/// A tensor of `sizes` with elements computed by `body`.
Value Minimization::map(Type element, ValueRange inputs, ArrayRef<AffineMap> inputMaps, ArrayRef<OpFoldResult> sizes,
                        Body body) {
  Value empty = tensor::EmptyOp::create(builder, at, sizes, element);
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(builder.getMultiDimIdentityMap(sizes.size()));
  SmallVector<utils::IteratorType> loops(sizes.size(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, at, empty.getType(), inputs, empty, maps, loops,
                                   [&](OpBuilder &inner, Location, ValueRange values) {
                                     linalg::YieldOp::create(inner, at, body(inner, values));
                                   })
      .getResult(0);
}

Value Minimization::scalar(Type element, ValueRange inputs, Body body) {
  return map(element, inputs, SmallVector<AffineMap>(inputs.size(), builder.getMultiDimIdentityMap(0)), {}, body);
}

/// Sums over all dimensions but the first `kept`.
Value Minimization::sumOf(Value tensor, unsigned kept, bool squared) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, at, tensor);
  sizes.truncate(kept);
  Value empty = tensor::EmptyOp::create(builder, at, sizes, type.getElementType());
  Value zero = arith::ConstantOp::create(builder, at, builder.getF32FloatAttr(0));
  Value start = linalg::FillOp::create(builder, at, zero, empty).getResult(0);
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::reduction);
  std::fill_n(loops.begin(), kept, utils::IteratorType::parallel);
  AffineMap whole = builder.getMultiDimIdentityMap(type.getRank());
  AffineMap rest = AffineMap::get(type.getRank(), 0, whole.getResults().take_front(kept), builder.getContext());
  return linalg::GenericOp::create(builder, at, start.getType(), tensor, start, ArrayRef<AffineMap>{whole, rest}, loops,
                                   [&](OpBuilder &inner, Location, ValueRange values) {
                                     Value term = values[0];
                                     if (squared)
                                       term = arith::MulFOp::create(inner, at, term, term);
                                     Value sum = arith::AddFOp::create(inner, at, values[1], term);
                                     linalg::YieldOp::create(inner, at, sum);
                                   })
      .getResult(0);
}

/// Sums along the last dimension first, which is many independent sums, then over the rest.
Value Minimization::sumOfSquares(Value tensor) {
  unsigned rank = cast<RankedTensorType>(tensor.getType()).getRank();
  Value rows = sumOf(tensor, rank > 0 ? rank - 1 : 0, /*squared=*/true);
  return rank > 1 ? sumOf(rows, 0, /*squared=*/false) : rows;
}

/// Adds a leading dimension to the arguments; the body of the loop reads the element of its iteration.
void Minimization::takeBatches(scf::ForOp loop) {
  builder.setInsertionPointToStart(loop.getBody());
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (function.getArgAttr(number, model::keyAttrName))
      continue;
    auto type = cast<RankedTensorType>(argument.getType());
    SmallVector<int64_t> shape = {minimize.getBatches()};
    llvm::append_range(shape, type.getShape());
    argument.setType(RankedTensorType::get(shape, type.getElementType()));
    auto element = model::ElementOp::create(builder, at, type, argument, loop.getInductionVar());
    argument.replaceAllUsesExcept(element.getResult(), element);
    SmallVector<Attribute> names = {builder.getStringAttr(Twine(minimize.getBatches()))};
    llvm::append_range(names, function.getArgAttrOfType<ArrayAttr>(number, model::shapeAttrName));
    function.setArgAttr(number, model::shapeAttrName, builder.getArrayAttr(names));
  }
  function.setFunctionType(builder.getFunctionType(function.getBody().getArgumentTypes(), function.getResultTypes()));
  // Each batch has its own random draws: its step number is that of the batch.
  loop.walk([&](model::GetOp get) {
    if (get.getParameterAttr() != minimize.getCount())
      return;
    builder.setInsertionPointAfter(get);
    Value number = scalar(builder.getI32Type(), get.getResult(), [&](OpBuilder &inner, ValueRange values) -> Value {
      Value batches = arith::ConstantOp::create(inner, at, inner.getI32IntegerAttr(minimize.getBatches()));
      Value first = arith::MulIOp::create(inner, at, values[0], batches);
      Value batch = arith::IndexCastOp::create(inner, at, inner.getI32Type(), loop.getInductionVar());
      return arith::AddIOp::create(inner, at, first, batch);
    });
    get.getResult().replaceAllUsesExcept(number, number.getDefiningOp());
  });
}

/// Moves the function's ops into a loop over batches. Results and gradients become sums over the batches, in order; the
/// results, which are the loss and metrics, are divided by their number.
void Minimization::accumulate(Gradients &gradients) {
  Block &block = function.getBody().front();
  Operation *terminator = block.getTerminator();
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  size_t results = terminator->getNumOperands();
  SmallVector<Value> terms = llvm::to_vector(terminator->getOperands()), sums;
  llvm::append_range(terms, gradients.parameters);
  builder.setInsertionPoint(terminator);
  for (Value term : terms) {
    auto type = cast<RankedTensorType>(term.getType());
    Value empty = tensor::EmptyOp::create(builder, at, type.getShape(), type.getElementType());
    sums.push_back(zerosLike(builder, at, empty));
  }
  Value zero = arith::ConstantIndexOp::create(builder, at, 0), one = arith::ConstantIndexOp::create(builder, at, 1);
  Value count = arith::ConstantIndexOp::create(builder, at, minimize.getBatches());
  auto loop = scf::ForOp::create(builder, at, zero, count, one, sums);
  for (Operation *op : ops)
    op->moveBefore(loop.getBody(), loop.getBody()->end());
  takeBatches(loop);
  builder.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> next;
  for (auto [sum, term] : llvm::zip_equal(loop.getRegionIterArgs(), terms))
    next.push_back(addElementwise(builder, at, sum, term));
  scf::YieldOp::create(builder, at, next);
  share = 1.0 / static_cast<double>(minimize.getBatches());
  builder.setInsertionPoint(terminator);
  auto mean = [&](OpBuilder &inner, ValueRange values) { return times(inner, values[0], share); };
  for (size_t result = 0; result < results; ++result)
    terminator->setOperand(result, scalar(builder.getF32Type(), loop.getResult(result), mean));
  gradients.parameters.assign(loop.getResults().begin() + results, loop.getResults().end());
}

/// min(1, c / norm), or 1 if all gradients are zero; times 1 / batches.
Value Minimization::clippingFactor(ArrayRef<Value> gradients) {
  Type f32 = builder.getF32Type();
  Value total;
  for (Value gradient : gradients) {
    Value squares = sumOfSquares(gradient);
    total = total ? addElementwise(builder, at, total, squares) : squares;
  }
  return scalar(f32, total, [&](OpBuilder &inner, ValueRange values) -> Value {
    Value limit =
        arith::ConstantOp::create(inner, at, inner.getF32FloatAttr(minimize.getClipNorm().getValueAsDouble()));
    Value one = arith::ConstantOp::create(inner, at, inner.getF32FloatAttr(1));
    Value norm = times(inner, math::SqrtOp::create(inner, at, values[0]), share);
    Value ratio = arith::DivFOp::create(inner, at, limit, norm);
    Value isWithin = arith::CmpFOp::create(inner, at, arith::CmpFPredicate::OLE, norm, limit);
    return times(inner, arith::SelectOp::create(inner, at, isWithin, one, ratio), share);
  });
}

Value Minimization::scaled(Value gradient) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, at, gradient);
  AffineMap whole = builder.getMultiDimIdentityMap(sizes.size());
  if (!factor)
    return share == 1 ? gradient
                      : map(builder.getF32Type(), gradient, whole, sizes,
                            [&](OpBuilder &inner, ValueRange values) { return times(inner, values[0], share); });
  AffineMap none = AffineMap::get(sizes.size(), 0, builder.getContext());
  return map(builder.getF32Type(), {gradient, factor}, {whole, none}, sizes,
             [&](OpBuilder &inner, ValueRange values) -> Value {
               return arith::MulFOp::create(inner, at, values[0], values[1]);
             });
}

/// The number of this training step, as i32 and as f32.
std::pair<Value, Value> Minimization::nextCount() {
  auto parameter = module.lookupSymbol<model::ParameterOp>(minimize.getCount());
  Value before = model::GetOp::create(builder, at, parameter.getType(), minimize.getCount(), ValueRange());
  Value after = scalar(builder.getI32Type(), before, [&](OpBuilder &inner, ValueRange values) -> Value {
    Value one = arith::ConstantOp::create(inner, at, inner.getI32IntegerAttr(1));
    return arith::AddIOp::create(inner, at, values[0], one);
  });
  Value real = scalar(builder.getF32Type(), after, [&](OpBuilder &inner, ValueRange values) -> Value {
    return arith::SIToFPOp::create(inner, at, inner.getF32Type(), values[0]);
  });
  return {after, real};
}

/// An optimizer must not read a trained parameter: updates are sequential, so it would see an updated value.
LogicalResult Minimization::readsNoTrained(func::FuncOp optimizer) {
  WalkResult result = optimizer.walk([&](model::GetOp get) {
    bool isTrained = llvm::any_of(minimize.getSteps(),
                                  [&](model::StepAttr each) { return each.getParameter() == get.getParameterAttr(); });
    if (!isTrained)
      return WalkResult::advance();
    get.emitError("a step of an optimizer reads @")
        << get.getParameter() << ", which is trained as well; a step reads only its own parameter";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Orders updates: a target that is set to another target's old value is set before that one.
LogicalResult Minimization::setInOrder(ArrayRef<FlatSymbolRefAttr> targets, ArrayRef<Value> before,
                                       ArrayRef<Value> after, ValueRange elementIndex) {
  SmallVector<size_t> pending;
  for (size_t each = 0; each < targets.size(); ++each)
    if (after[each] != before[each])
      pending.push_back(each);
  while (!pending.empty()) {
    auto next = llvm::find_if(pending, [&](size_t each) {
      return llvm::none_of(pending, [&](size_t other) { return other != each && after[other] == before[each]; });
    });
    if (next == pending.end())
      return emitError(at, "a step of the optimizer swaps two states, which cannot be done in place");
    model::SetOp::create(builder, at, targets[*next], elementIndex, after[*next]);
    pending.erase(next);
  }
  return success();
}

/// Updates the parameter element at `place` of its lists.
LogicalResult Minimization::updateParameter(model::StepAttr step, Value gradient, Value number,
                                            ValueRange elementIndex) {
  auto optimizer = module.lookupSymbol<func::FuncOp>(step.getFunction());
  if (failed(readsNoTrained(optimizer)))
    return failure();
  SmallVector<FlatSymbolRefAttr> targets = {step.getParameter()};
  targets.append(step.getStates().begin(), step.getStates().end());
  SmallVector<Value> values;
  for (FlatSymbolRefAttr target : targets) {
    auto parameter = module.lookupSymbol<model::ParameterOp>(target);
    values.push_back(model::GetOp::create(builder, at, parameter.getType(), target, elementIndex));
  }
  SmallVector<Value> arguments = {values[0], scaled(gradient), number};
  arguments.append(values.begin() + 1, values.end());
  IRMapping mapping;
  mapping.map(optimizer.getArguments(), arguments);
  Block &body = optimizer.getBody().front();
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> after;
  for (Value value : body.getTerminator()->getOperands())
    after.push_back(mapping.lookupOrDefault(value));
  return setInOrder(targets, values, after, elementIndex);
}

} // namespace

LogicalResult deriveMinimization(func::FuncOp function) { return Minimization(function).run(); }

void eraseSteps(ModuleOp module) {
  eraseUnused(module, [](func::FuncOp function) { return function.isPrivate() && !function.isExternal(); });
}

} // namespace attnc
