// Interpreter of functions, control flow and parameters. OpEvaluation.h evaluates all other ops.
#include "compiler/ElementTypes/ElementType.h"
#include "compiler/Reference/OpEvaluation.h"
#include "compiler/Reference/Reference.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::reference;

namespace {

/// Interprets one function call. Maps the SSA values of the call to arrays: a value is an immutable shared array, and a
/// scalar has rank 0. An error is recorded in `fault` with its op and ends the call with failure.
class Interpreter {
public:
  Interpreter(const Parameters &parameters, Parameters &updates, Fault &fault, Rounding rounding)
      : parameters(parameters), updates(updates), context{values, rounding, fault} {}

  FailureOr<std::vector<SharedArray>> call(func::FuncOp function, ArrayRef<SharedArray> inputs);

private:
  LogicalResult run(Block &block); ///< runs all ops except the terminator
  LogicalResult run(Operation &op);
  LogicalResult run(func::CallOp op);
  LogicalResult run(scf::ForOp op);
  LogicalResult run(scf::IfOp op);
  LogicalResult run(model::GetOp op);
  LogicalResult run(model::SetOp op);

  /// Rounds `array`, checks its shape against the type of `result`, and binds it. `terms` is the number of terms that
  /// the op itself sums.
  LogicalResult define(OpResult result, Array array, int64_t terms = 0);
  LogicalResult define(Operation &op, FailureOr<Array> result);
  LogicalResult define(Operation &op, FailureOr<std::vector<SummedArray>> results);
  void copyValues(ValueRange from, ValueRange to);

  const Parameters &parameters;
  Parameters &updates;
  Environment values;
  const OpContext context;
};

} // namespace

static LogicalResult checkShape(Operation *op, Type type, const Array &array, const Twine &what, Fault &fault) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  ArrayRef<int64_t> expected = tensor ? tensor.getShape() : ArrayRef<int64_t>();
  bool fits = array.shape.size() == expected.size() && llvm::all_of(llvm::zip(array.shape, expected), [](auto pair) {
                return ShapedType::isDynamic(std::get<1>(pair)) || std::get<0>(pair) == std::get<1>(pair);
              });
  auto element = elementOf(type);
  if (fits && succeeded(element) && *element == array.element)
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return fault.at(op, what + " is " + describe(array.element, array.shape) + ", expected " + text);
}

/// The largest number of summed terms among the operands and captured values of the op.
static int64_t longestChainInto(Operation *op, const Environment &values) {
  int64_t longest = 0;
  auto read = [&](Value value) {
    if (auto found = values.find(value); found != values.end())
      longest = std::max(longest, found->second->terms);
  };
  llvm::for_each(op->getOperands(), read);
  visitUsedValuesDefinedAbove(op->getRegions(), [&](OpOperand *operand) { read(operand->get()); });
  return longest;
}

LogicalResult Interpreter::define(OpResult result, Array array, int64_t terms) {
  if (failed(checkShape(result.getOwner(), result.getType(), array, "the result", context.fault)))
    return failure();
  // A scalar inside a kernel is f32, so the range of f16 does not limit it.
  bool isStored = context.rounding.kind != Rounding::TensorsToF16 || isa<ShapedType>(result.getType());
  if (context.rounding.kind != Rounding::None && isStored && array.element == Element::F32)
    for (double &value : array.values)
      value = stored(value, context.rounding);
  Type element = getElementTypeOrSelf(result.getType());
  if (const llvm::fltSemantics *format = isNarrow(element) ? narrowFormat(*elementTypeOf(element)) : nullptr)
    for (double &value : array.values)
      value = roundTo(*format, value);
  array.terms = array.element == Element::F32 ? longestChainInto(result.getOwner(), values) + terms : 0;
  values[result] = std::make_shared<const Array>(std::move(array));
  return success();
}

LogicalResult Interpreter::define(Operation &op, FailureOr<Array> result) {
  return failed(result) ? failure() : define(op.getResult(0), std::move(*result));
}

LogicalResult Interpreter::define(Operation &op, FailureOr<std::vector<SummedArray>> results) {
  if (failed(results))
    return failure();
  for (auto [result, summed] : llvm::zip_equal(op.getResults(), *results))
    if (failed(define(result, std::move(summed.array), summed.terms)))
      return failure();
  return success();
}

void Interpreter::copyValues(ValueRange from, ValueRange to) {
  auto copies = llvm::map_to_vector(from, [&](Value value) { return values.at(value); });
  for (auto [target, copy] : llvm::zip_equal(to, copies))
    values[target] = copy;
}

//===-------------------------------------------- functions -----------------------------------------------------===//

FailureOr<std::vector<SharedArray>> Interpreter::call(func::FuncOp function, ArrayRef<SharedArray> inputs) {
  if (function.isExternal() || function.getNumArguments() != inputs.size())
    return context.fault.at(function, "'" + function.getName() + "' takes " + Twine(function.getNumArguments()) +
                                          " inputs and has " + (function.isExternal() ? "no" : "a") + " body, found " +
                                          Twine(inputs.size()) + " inputs");
  for (auto [number, argument] : llvm::enumerate(function.getArguments())) {
    if (failed(checkShape(function, argument.getType(), *inputs[number], "input " + Twine(number), context.fault)))
      return failure();
    values[argument] = inputs[number];
  }
  if (!llvm::hasSingleElement(function.getBody()))
    return context.fault.at(function, "expected a function with one block");
  Block &body = function.getBody().front();
  if (failed(run(body)))
    return failure();
  std::vector<SharedArray> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(values.at(value));
  return results;
}

LogicalResult Interpreter::run(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  if (!callee)
    return context.fault.at(op, "there is no function '" + op.getCallee() + "'");
  auto inputs = llvm::map_to_vector(op.getOperands(), [&](Value value) { return values.at(value); });
  auto results = Interpreter(parameters, updates, context.fault, context.rounding).call(callee, inputs);
  if (failed(results))
    return failure();
  for (auto [result, array] : llvm::zip_equal(op.getResults(), *results))
    values[result] = array;
  return success();
}

/// The checkpoint name, with list indices, of the parameter that a model.get or model.set accesses.
template <typename Op> static FailureOr<std::string> parameterName(Op op, const OpContext &context) {
  auto parameter = SymbolTable::lookupNearestSymbolFrom<model::ParameterOp>(op, op.getParameterAttr());
  if (!parameter)
    return context.fault.at(op, "there is no parameter '" + op.getParameter() + "'");
  auto indices = context.integersOf(op.getIndices());
  for (auto [index, count] : llvm::zip_equal(indices, parameter.getCounts()))
    if (index < 0 || index >= count)
      return context.fault.at(op, "list index " + Twine(index) + " is outside of a list of " + Twine(count));
  return parameter.getCheckpointName(indices);
}

LogicalResult Interpreter::run(model::GetOp op) {
  FailureOr<std::string> name = parameterName(op, context);
  if (failed(name))
    return failure();
  auto found = parameters.find(*name);
  if (found == parameters.end())
    return context.fault.at(op, "there is no value for parameter '" + *name + "'");
  return define(op->getResult(0), found->second);
}

LogicalResult Interpreter::run(model::SetOp op) {
  FailureOr<std::string> name = parameterName(op, context);
  if (failed(name))
    return failure();
  if (!updates.emplace(*name, context.arrayOf(op.getValue())).second)
    return context.fault.at(op, "parameter '" + *name + "' is set twice");
  return success();
}

//===-------------------------------------------- control flow --------------------------------------------------===//

LogicalResult Interpreter::run(scf::ForOp op) {
  int64_t step = context.integerOf(op.getStep()), end = context.integerOf(op.getUpperBound());
  if (step < 1)
    return context.fault.at(op, "step is " + Twine(step) + ", expected at least 1");
  copyValues(op.getInitArgs(), op.getRegionIterArgs());
  for (int64_t index = context.integerOf(op.getLowerBound()); index < end; index += step) {
    values[op.getInductionVar()] = std::make_shared<const Array>(Array::scalar(Element::Index, index));
    if (failed(run(*op.getBody())))
      return failure();
    copyValues(op.getYieldedValues(), op.getRegionIterArgs());
    if (llvm::any_of(op.getOps<model::EndIfOp>(),
                     [&](auto end) { return context.arrayOf(end.getDone()).values[0] != 0; }))
      break;
  }
  copyValues(op.getRegionIterArgs(), op.getResults());
  return success();
}

LogicalResult Interpreter::run(scf::IfOp op) {
  Block *taken = context.integerOf(op.getCondition()) != 0 ? op.thenBlock() : op.elseBlock();
  if (!taken)
    return success();
  if (failed(run(*taken)))
    return failure();
  copyValues(taken->getTerminator()->getOperands(), op.getResults());
  return success();
}

//===-------------------------------------------- dispatch ------------------------------------------------------===//

LogicalResult Interpreter::run(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(run(op)))
      return failure();
  return success();
}

LogicalResult Interpreter::run(Operation &op) {
  auto runCase = [&](auto known) { return run(known); };
  auto evaluateCase = [&](auto known) { return define(op, evaluate(known, context)); };
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<func::CallOp, scf::ForOp, scf::IfOp, model::GetOp, model::SetOp>(runCase)
      .Case<arith::ConstantOp, tensor::EmptyOp, tensor::DimOp, tensor::ExtractOp, tensor::InsertOp>(evaluateCase)
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(evaluateCase)
      .Case<tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::ConcatOp, tensor::PadOp>(evaluateCase)
      .Case<tensor::FromElementsOp, tensor::SplatOp, tensor::GenerateOp>(evaluateCase)
      .Case<linalg::LinalgOp, attn::AttendOp, attn::AttendGradientOp, attn::ScatterAddOp>(evaluateCase)
      .Case<model::ElementOp, model::WithElementOp, model::AppendOp>(evaluateCase)
      .Case([](model::EndIfOp) { return success(); }) // run(scf::ForOp) reads it
      .Default([&](Operation *other) { return define(op, evaluateElementwise(other, context)); });
}

//===-------------------------------------------- interpret -----------------------------------------------------===//

llvm::Expected<std::vector<Array>> attnc::reference::interpret(func::FuncOp function, ArrayRef<Array> inputs,
                                                               const Parameters &parameters, Parameters *updates,
                                                               Rounding rounding) {
  Fault fault;
  Parameters updated;
  std::vector<SharedArray> shared;
  for (const Array &input : inputs)
    shared.push_back(std::make_shared<const Array>(input));
  auto results = Interpreter(parameters, updated, fault, rounding).call(function, shared);
  if (failed(results))
    return llvm::createStringError(fault.message());
  std::vector<Array> arrays;
  for (const SharedArray &result : *results)
    arrays.push_back(*result);
  if (updates)
    *updates = std::move(updated);
  return arrays;
}
