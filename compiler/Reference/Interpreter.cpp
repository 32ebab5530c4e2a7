#include "compiler/Reference/Interpreter.h"
#include "compiler/ElementTypes/ElementType.h"
#include "compiler/Reference/Affine.h"
#include "compiler/Reference/ScalarOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace attnc::reference;

int64_t Interpreter::integerOf(OpFoldResult value) const {
  if (auto attribute = dyn_cast<Attribute>(value))
    return cast<IntegerAttr>(attribute).getInt();
  return integerOf(cast<Value>(value));
}

Interpreter::Sizes Interpreter::integersOf(ValueRange range) const {
  return llvm::map_to_vector(range, [&](Value value) { return integerOf(value); });
}

Interpreter::Sizes Interpreter::integersOf(ArrayRef<OpFoldResult> range) const {
  return llvm::map_to_vector(range, [&](OpFoldResult value) { return integerOf(value); });
}

LogicalResult Interpreter::checkShape(Operation *op, Type type, const Array &array, const Twine &what) {
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
int64_t Interpreter::longestChainInto(Operation *op) const {
  int64_t longest = 0;
  auto read = [&](Value value) {
    if (auto found = values.find(value); found != values.end())
      longest = std::max(longest, found->second->terms);
  };
  llvm::for_each(op->getOperands(), read);
  visitUsedValuesDefinedAbove(op->getRegions(), [&](OpOperand *operand) { read(operand->get()); });
  return longest;
}

/// The number of terms of all reductions in the op's formulas, as if they formed one chain of sums. A size that is not
/// yet computed counts as 1.
int64_t Interpreter::termsOfReductionsIn(Operation *op) const {
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

LogicalResult Interpreter::define(OpResult result, Array array, int64_t terms) {
  if (failed(checkShape(result.getOwner(), result.getType(), array, "the result")))
    return failure();
  // A scalar inside a kernel is f32, so the range of f16 does not limit it.
  bool isStored = rounding.kind != Rounding::TensorsToF16 || isa<ShapedType>(result.getType());
  if (rounding.kind != Rounding::None && isStored && array.element == Element::F32)
    for (double &value : array.values)
      value = stored(value, rounding);
  Type element = getElementTypeOrSelf(result.getType());
  if (const llvm::fltSemantics *format = isNarrow(element) ? narrowFormat(*elementTypeOf(element)) : nullptr)
    for (double &value : array.values)
      value = roundTo(*format, value);
  array.terms = array.element == Element::F32 ? longestChainInto(result.getOwner()) + terms : 0;
  values[result] = std::make_shared<const Array>(std::move(array));
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
    return fault.at(function, "'" + function.getName() + "' takes " + Twine(function.getNumArguments()) +
                                  " inputs and has " + (function.isExternal() ? "no" : "a") + " body, found " +
                                  Twine(inputs.size()) + " inputs");
  for (auto [number, argument] : llvm::enumerate(function.getArguments())) {
    if (failed(checkShape(function, argument.getType(), *inputs[number], "input " + Twine(number))))
      return failure();
    values[argument] = inputs[number];
  }
  if (!llvm::hasSingleElement(function.getBody()))
    return fault.at(function, "the oracle runs functions of one block");
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
    return fault.at(op, "there is no function '" + op.getCallee() + "'");
  auto inputs = llvm::map_to_vector(op.getOperands(), [&](Value value) { return values.at(value); });
  auto results = Interpreter(parameters, updates, fault, rounding).call(callee, inputs);
  if (failed(results))
    return failure();
  for (auto [result, array] : llvm::zip_equal(op.getResults(), *results))
    values[result] = array;
  return success();
}

template <typename Op> FailureOr<std::string> Interpreter::parameterName(Op op) {
  auto parameter = SymbolTable::lookupNearestSymbolFrom<model::ParameterOp>(op, op.getParameterAttr());
  if (!parameter)
    return fault.at(op, "there is no parameter '" + op.getParameter() + "'");
  Sizes indices = integersOf(op.getIndices());
  for (auto [index, count] : llvm::zip_equal(indices, parameter.getCounts()))
    if (index < 0 || index >= count)
      return fault.at(op, "list index " + Twine(index) + " is outside of a list of " + Twine(count));
  return parameter.getCheckpointName(indices);
}

LogicalResult Interpreter::run(model::GetOp op) {
  FailureOr<std::string> name = parameterName(op);
  if (failed(name))
    return failure();
  auto found = parameters.find(*name);
  if (found == parameters.end())
    return fault.at(op, "no value was given for parameter '" + *name + "'");
  return define(op->getResult(0), found->second);
}

LogicalResult Interpreter::run(model::SetOp op) {
  FailureOr<std::string> name = parameterName(op);
  if (failed(name))
    return failure();
  if (!updates.emplace(*name, arrayOf(op.getValue())).second)
    return fault.at(op, "parameter '" + *name + "' is set twice");
  return success();
}

//===-------------------------------------------- control flow --------------------------------------------------===//

LogicalResult Interpreter::run(scf::ForOp op) {
  int64_t step = integerOf(op.getStep()), end = integerOf(op.getUpperBound());
  if (step < 1)
    return fault.at(op, "steps by " + Twine(step));
  copyValues(op.getInitArgs(), op.getRegionIterArgs());
  for (int64_t index = integerOf(op.getLowerBound()); index < end; index += step) {
    values[op.getInductionVar()] = std::make_shared<const Array>(Array::scalar(Element::Index, index));
    if (failed(run(*op.getBody())))
      return failure();
    copyValues(op.getYieldedValues(), op.getRegionIterArgs());
    if (llvm::any_of(op.getOps<model::EndIfOp>(), [&](auto end) { return arrayOf(end.getDone()).values[0] != 0; }))
      break;
  }
  copyValues(op.getRegionIterArgs(), op.getResults());
  return success();
}

LogicalResult Interpreter::run(scf::IfOp op) {
  Block *taken = integerOf(op.getCondition()) != 0 ? op.thenBlock() : op.elseBlock();
  if (!taken)
    return success();
  if (failed(run(*taken)))
    return failure();
  copyValues(taken->getTerminator()->getOperands(), op.getResults());
  return success();
}

//===-------------------------------------------- scalars -------------------------------------------------------===//

static double valueOf(const APInt &bits) {
  return bits.getBitWidth() == 1 ? double(bits.getBoolValue()) : double(bits.getSExtValue());
}

LogicalResult Interpreter::run(arith::ConstantOp op) {
  auto element = elementOf(op.getType());
  if (failed(element))
    return fault.at(op, "the oracle knows f32, i32, i1 and index");
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    return define(op->getResult(0), Array::scalar(*element, number.getValueAsDouble()));
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
    return define(op->getResult(0), Array::scalar(*element, valueOf(integer.getValue())));
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return fault.at(op, "the oracle expects a dense constant");
  Array array(*element, dense.getType().getShape(), 0.0);
  if (*element == Element::F32)
    for (auto [value, number] : llvm::zip_equal(array.values, dense.getValues<APFloat>()))
      value = number.convertToDouble();
  else
    for (auto [value, bits] : llvm::zip_equal(array.values, dense.getValues<APInt>()))
      value = valueOf(bits);
  return define(op->getResult(0), std::move(array));
}

/// Elementwise ops: `arith`, `math` and affine ops on scalars; `arith` and `math` ops also on tensors.
LogicalResult Interpreter::runElementwise(Operation &op) {
  ScalarFunction function = scalarFunction(&op);
  if (!function)
    function = affineFunction(&op);
  if (!function || op.getNumResults() != 1)
    return fault.at(&op, "the oracle does not know this operation");
  auto element = elementOf(op.getResult(0).getType());
  if (failed(element))
    return fault.at(&op, "the oracle knows f32, i32, i1 and index");
  Array result(*element, arrayOf(op.getOperands().back()).shape, 0.0);
  for (Value operand : op.getOperands())
    if (arrayOf(operand).rank() != 0 && arrayOf(operand).shape != result.shape)
      return fault.at(&op, "operands of different shapes");
  Rounding way = *element == Element::F32 ? rounding : Rounding::None;
  bool leavesResidue = addsComputedNumbers(&op);
  std::vector<double> operands(op.getNumOperands());
  for (auto [place, value] : llvm::enumerate(result.values)) {
    for (auto [operand, source] : llvm::zip_equal(operands, op.getOperands())) {
      const Array &array = arrayOf(source);
      operand = array.values[array.rank() == 0 ? 0 : place];
    }
    value = function(operands.data());
    if (leavesResidue)
      value += residueOfSum(operands[0], operands[1], way);
    value = rounded(value, way, accuracyOf(&op));
    if (*element != Element::F32 && std::isnan(value))
      return fault.at(&op, "an integer is divided by zero");
  }
  return define(op.getResult(0), std::move(result));
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
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<func::CallOp, scf::ForOp, scf::IfOp, model::GetOp, model::SetOp, arith::ConstantOp>(runCase)
      .Case<tensor::EmptyOp, tensor::DimOp, tensor::ExtractOp, tensor::InsertOp>(runCase)
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(runCase)
      .Case<tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::ConcatOp, tensor::PadOp>(runCase)
      .Case<tensor::FromElementsOp, tensor::SplatOp, tensor::GenerateOp>(runCase)
      .Case<linalg::LinalgOp, attn::AttendOp, attn::AttendGradientOp, attn::ScatterAddOp>(runCase)
      .Case<model::ElementOp, model::WithElementOp, model::AppendOp>(runCase)
      .Case([](model::EndIfOp) { return success(); }) // run(scf::ForOp) reads it
      .Default([&](Operation *other) { return runElementwise(*other); });
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
