// Reference constants and elementwise ops.
#include "compiler/Reference/Affine.h"
#include "compiler/Reference/OpEvaluation.h"
#include "compiler/Reference/ScalarOps.h"
#include <cmath>

using namespace mlir;
using namespace attnc::reference;

static double valueOf(const APInt &bits) {
  return bits.getBitWidth() == 1 ? double(bits.getBoolValue()) : double(bits.getSExtValue());
}

FailureOr<Array> attnc::reference::evaluate(arith::ConstantOp op, const OpContext &context) {
  auto element = elementOf(op.getType());
  if (failed(element))
    return context.fault.at(op, "unsupported element type, expected f32, i32, i1 or index");
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    return Array::scalar(*element, number.getValueAsDouble());
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
    return Array::scalar(*element, valueOf(integer.getValue()));
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return context.fault.at(op, "expected a dense constant");
  Array array(*element, dense.getType().getShape(), 0.0);
  if (*element == Element::F32)
    for (auto [value, number] : llvm::zip_equal(array.values, dense.getValues<APFloat>()))
      value = number.convertToDouble();
  else
    for (auto [value, bits] : llvm::zip_equal(array.values, dense.getValues<APInt>()))
      value = valueOf(bits);
  return array;
}

FailureOr<Array> attnc::reference::evaluateElementwise(Operation *op, const OpContext &context) {
  ScalarFunction function = scalarFunction(op);
  if (!function)
    function = affineFunction(op);
  if (!function || op->getNumResults() != 1)
    return context.fault.at(op, "the oracle does not support this operation");
  auto element = elementOf(op->getResult(0).getType());
  if (failed(element))
    return context.fault.at(op, "unsupported element type, expected f32, i32, i1 or index");
  Array result(*element, context.arrayOf(op->getOperands().back()).shape, 0.0);
  std::vector<const Array *> sources;
  for (Value operand : op->getOperands()) {
    sources.push_back(&context.arrayOf(operand));
    if (sources.back()->rank() != 0 && sources.back()->shape != result.shape)
      return context.fault.at(op, "operands of different shapes");
  }
  Rounding way = *element == Element::F32 ? context.rounding : Rounding::None;
  bool leavesResidue = addsComputedNumbers(op);
  std::vector<double> operands(op->getNumOperands());
  for (auto [place, value] : llvm::enumerate(result.values)) {
    for (auto [operand, source] : llvm::zip_equal(operands, sources))
      operand = source->values[source->rank() == 0 ? 0 : place];
    value = function(operands.data());
    if (leavesResidue)
      value += residueOfSum(operands[0], operands[1], way);
    value = rounded(value, way, accuracyOf(op));
    if (*element != Element::F32 && std::isnan(value))
      return context.fault.at(op, "an integer division by zero");
  }
  return result;
}
