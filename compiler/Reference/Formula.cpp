#include "compiler/Reference/Formula.h"
#include "compiler/Reference/Affine.h"
#include "compiler/Reference/ScalarOps.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace attnc::reference;

namespace {

using Frame = FormulaFrame;

/// Translates ops into closures, and values into register numbers.
class FormulaReader {
public:
  FormulaReader(const Environment &environment, Rounding rounding, Fault &fault)
      : environment(environment), rounding(rounding), fault(fault) {}

  LogicalResult readBlock(Block &ops, FormulaBlock &block) {
    block.arguments = declare(ops.getArguments());
    return readOps(ops, block);
  }
  /// Values of the registers before the first step.
  const std::vector<double> &initialRegisters() const { return initial; }

private:
  unsigned declare(Value value) {
    initial.push_back(std::numeric_limits<double>::quiet_NaN());
    return registers[value] = static_cast<unsigned>(initial.size() - 1);
  }
  std::vector<unsigned> declare(ValueRange values) {
    std::vector<unsigned> numbers;
    for (Value value : values)
      numbers.push_back(declare(value));
    return numbers;
  }

  /// The register of a scalar operand; for a captured scalar, a new register initialised with its value.
  FailureOr<unsigned> use(Operation *op, Value value) {
    if (auto found = registers.find(value); found != registers.end())
      return found->second;
    SharedArray captured = environment.lookup(value);
    if (!captured || captured->rank() != 0)
      return fault.at(op, "expected a scalar operand");
    unsigned number = declare(value);
    initial[number] = captured->values[0];
    return number;
  }
  FailureOr<std::vector<unsigned>> use(Operation *op, ValueRange values) {
    std::vector<unsigned> numbers;
    for (Value value : values) {
      auto number = use(op, value);
      if (failed(number))
        return failure();
      numbers.push_back(*number);
    }
    return numbers;
  }
  FailureOr<SharedArray> captured(Operation *op, Value tensor) {
    if (SharedArray array = environment.lookup(tensor))
      return array;
    return fault.at(op, "expected a tensor from outside the region");
  }

  LogicalResult readOps(Block &ops, FormulaBlock &block) {
    for (Operation &op : ops.without_terminator())
      if (failed(readOp(op, block)))
        return failure();
    auto numbers = use(ops.getTerminator(), ops.getTerminator()->getOperands());
    if (succeeded(numbers))
      block.yielded = *numbers;
    return numbers;
  }

  LogicalResult readOp(Operation &op, FormulaBlock &block);
  LogicalResult readConstant(arith::ConstantOp op);
  LogicalResult readScalar(Operation &op, FormulaBlock &block);
  LogicalResult readExtract(tensor::ExtractOp op, FormulaBlock &block);
  LogicalResult readDim(tensor::DimOp op, FormulaBlock &block);
  LogicalResult readReduce(attn::ReduceOp op, FormulaBlock &block);
  LogicalResult readIf(scf::IfOp op, FormulaBlock &block);
  LogicalResult readFor(scf::ForOp op, FormulaBlock &block);

  const Environment &environment;
  Rounding rounding;
  Fault &fault;
  llvm::DenseMap<Value, unsigned> registers;
  std::vector<double> initial;
};

} // namespace

static LogicalResult run(const FormulaBlock &block, Frame &frame) {
  double *registers = frame.registers.data();
  for (const FormulaStep &step : block.steps) {
    if (step.function && !frame.differentiates) {
      const double operands[] = {registers[step.from[0]], registers[step.from[1]], registers[step.from[2]]};
      registers[step.to] = step.function(operands);
    } else if (failed(step.run(frame))) {
      return failure();
    }
  }
  return success();
}

static void copyRegisters(Frame &frame, const std::vector<unsigned> &from, const std::vector<unsigned> &to) {
  llvm::SmallVector<double, 4> values; // all reads precede all writes, because a loop may yield its arguments swapped
  for (unsigned number : from)
    values.push_back(frame.registers[number]);
  for (auto [value, number] : llvm::zip_equal(values, to))
    frame.registers[number] = value;
  if (!frame.differentiates)
    return;
  llvm::SmallVector<Gradient, 4> gradients;
  for (unsigned number : from)
    gradients.push_back(frame.gradients[number]);
  for (auto [gradient, number] : llvm::zip_equal(gradients, to))
    frame.gradients[number] = std::move(gradient);
}

static bool isBefore(const Gradient::Derivative &derivative, Gradient::Source source) {
  return derivative.first < source;
}

double Gradient::at(Source source) const {
  const auto *found = llvm::lower_bound(derivatives, source, isBefore);
  return found != derivatives.end() && found->first == source ? found->second : 0;
}

void Gradient::addScaled(const Gradient &term, double factor, Rounding rounding) {
  if (factor == 0)
    return;
  for (auto [source, derivative] : term) {
    auto *found = llvm::lower_bound(derivatives, source, isBefore);
    if (found == derivatives.end() || found->first != source)
      found = derivatives.insert(found, {source, 0});
    double product = rounded(factor * derivative, rounding, Accuracy::Rounded);
    found->second = rounded(found->second + product, rounding, Accuracy::Rounded);
  }
}

/// df/dx_i by a central difference with relative step 1e-5.
static double partialOf(const ScalarFunction &function, MutableArrayRef<double> x, size_t i) {
  double at = x[i], step = 1e-5 * (at == 0 ? 1 : std::fabs(at));
  x[i] = at + step;
  double above = function(x.data());
  x[i] = at - step;
  double below = function(x.data());
  x[i] = at;
  return above == below ? 0 : (above - below) / (2 * step);
}

/// Partial derivative of a maximum or minimum: 1 for the first operand equal to the result, otherwise 0, even if the
/// operands are nearly equal.
static double partialOfExtremum(double result, ArrayRef<double> x, size_t i) {
  if (std::isnan(result))
    return result;
  return llvm::find(x, result) == x.begin() + i ? 1 : 0;
}

/// Partial derivative of one op with the rounding error of compiled code. Derivatives of sums and products are exact.
/// The derivative of tanh is computed as 1 minus a rounded number, which cancels near saturation.
static double roundedPartial(Operation *op, double partial, Rounding rounding) {
  if (rounding.kind == Rounding::None)
    return partial;
  if (isa<math::TanhOp>(op))
    return 1 - rounded(1 - partial, rounding);
  return rounded(partial, rounding, accuracyOf(op) == Accuracy::Near ? Accuracy::Near : Accuracy::Exact);
}

static llvm::SmallVector<int64_t, 8> integersOf(const Frame &frame, const std::vector<unsigned> &numbers) {
  llvm::SmallVector<int64_t, 8> values;
  for (unsigned number : numbers)
    values.push_back(static_cast<int64_t>(frame.registers[number]));
  return values;
}

LogicalResult FormulaReader::readOp(Operation &op, FormulaBlock &block) {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    block.steps.emplace_back([dimension = index.getDim(), to = declare(index.getResult())](Frame &frame) {
      frame.registers[to] = static_cast<double>(frame.indices[dimension]);
      return success();
    });
    return success();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](arith::ConstantOp constant) { return readConstant(constant); })
      .Case([&](tensor::ExtractOp extract) { return readExtract(extract, block); })
      .Case([&](tensor::DimOp dim) { return readDim(dim, block); })
      .Case([&](attn::ReduceOp reduce) { return readReduce(reduce, block); })
      .Case([&](scf::IfOp branch) { return readIf(branch, block); })
      .Case([&](scf::ForOp loop) { return readFor(loop, block); })
      .Default([&](Operation *other) { return readScalar(*other, block); });
}

LogicalResult FormulaReader::readConstant(arith::ConstantOp op) {
  unsigned to = declare(op.getResult());
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    initial[to] = number.getValueAsDouble();
  else if (auto boolean = dyn_cast<BoolAttr>(op.getValue()))
    initial[to] = boolean.getValue();
  else if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
    initial[to] = static_cast<double>(integer.getInt());
  else
    return fault.at(op, "expected a scalar constant");
  return success();
}

/// The gradient of a scalar op with operands in the registers `from`.
static Gradient gradientOf(Operation *op, const ScalarFunction &function, MutableArrayRef<double> operands,
                           double result, ArrayRef<unsigned> from, const Frame &frame, Rounding rounding) {
  Gradient gradient;
  if (op->getResult(0).getType().isIntOrIndex() || isa<attn::StopOp>(op))
    return gradient;
  for (auto [operand, number] : llvm::enumerate(from)) {
    if (frame.gradients[number].empty())
      continue;
    double partial = isa<arith::MaximumFOp, arith::MinimumFOp>(op) ? partialOfExtremum(result, operands, operand)
                                                                   : partialOf(function, operands, operand);
    gradient.addScaled(frame.gradients[number], roundedPartial(op, partial, rounding), rounding);
  }
  return gradient;
}

LogicalResult FormulaReader::readScalar(Operation &op, FormulaBlock &block) {
  ScalarFunction function = scalarFunction(&op);
  if (!function)
    function = affineFunction(&op);
  if (!function)
    return fault.at(&op, "the oracle does not support the operation '" + op.getName().getStringRef() + "'");
  auto from = use(&op, op.getOperands());
  if (failed(from))
    return failure();
  bool integer = op.getResult(0).getType().isIntOrIndex();
  Rounding way = integer ? Rounding::None : rounding;
  Accuracy accuracy = accuracyOf(&op);
  bool leavesResidue = addsComputedNumbers(&op);
  unsigned to = declare(op.getResult(0));
  block.steps.emplace_back([=, at = &op, from = *from, &fault = fault](Frame &frame) {
    llvm::SmallVector<double, 4> operands;
    operands.resize_for_overwrite(from.size());
    for (size_t operand = 0; operand < from.size(); ++operand)
      operands[operand] = frame.registers[from[operand]];
    double result = function(operands.data());
    if (leavesResidue)
      result += residueOfSum(operands[0], operands[1], way);
    frame.registers[to] = rounded(result, way, accuracy);
    if (integer && std::isnan(result))
      return fault.at(at, "an integer division by zero");
    if (frame.differentiates)
      frame.gradients[to] = gradientOf(at, function, operands, result, from, frame, way);
    return success();
  });
  FormulaStep &step = block.steps.back();
  if (auto *plain = function.target<double (*)(const double *)>();
      plain && from->size() <= step.from.size() && !way.isOfScalars()) {
    llvm::copy(*from, step.from.begin());
    step.function = *plain;
    step.to = to;
  }
  return success();
}

LogicalResult FormulaReader::readExtract(tensor::ExtractOp op, FormulaBlock &block) {
  auto array = captured(op, op.getTensor());
  auto subscripts = use(op, op.getIndices());
  if (failed(array) || failed(subscripts))
    return failure();
  const void *tensor = op.getTensor().getAsOpaquePointer();
  unsigned to = declare(op.getResult());
  llvm::SmallVector<std::pair<unsigned, int64_t>, 4> places;
  for (auto [number, size] : llvm::zip_equal(*subscripts, (*array)->shape))
    places.emplace_back(number, size);
  block.steps.emplace_back([=, array = *array, &fault = fault](Frame &frame) {
    int64_t offset = 0;
    for (auto [number, size] : places) {
      auto index = static_cast<int64_t>(frame.registers[number]);
      if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(size)) {
        if (size != 0 || index < -1 || index > 0)
          return fault.at(op, "subscript " + llvm::Twine(index) + " is outside of a dimension of size " +
                                  llvm::Twine(size));
        // a guarded subscript of an empty dimension, clamped to its last element, or then to its first
        frame.registers[to] = std::numeric_limits<double>::quiet_NaN();
        return success();
      }
      offset = offset * size + index;
    }
    frame.registers[to] = array->values[offset];
    if (frame.differentiates && array->element == Element::F32)
      frame.gradients[to] = Gradient({tensor, offset}, 1);
    return success();
  });
  return success();
}

LogicalResult FormulaReader::readDim(tensor::DimOp op, FormulaBlock &block) {
  auto array = captured(op, op.getSource());
  auto dimension = use(op, op.getIndex());
  if (failed(array) || failed(dimension))
    return failure();
  unsigned to = declare(op.getResult());
  block.steps.emplace_back([=, array = *array, from = *dimension, &fault = fault](Frame &frame) {
    auto number = static_cast<int64_t>(frame.registers[from]);
    if (number < 0 || number >= array->rank())
      return fault.at(op, "there is no dimension " + llvm::Twine(number));
    frame.registers[to] = static_cast<double>(array->shape[number]);
    return success();
  });
  return success();
}

static double identityOf(attn::Combine combine, Type type) {
  double limit = std::numeric_limits<double>::infinity();
  double lowest = -limit, highest = limit;
  if (type.isInteger(32))
    lowest = std::numeric_limits<int32_t>::min(), highest = std::numeric_limits<int32_t>::max();
  switch (combine) {
  case attn::Combine::Add:
    return 0;
  case attn::Combine::Mul:
    return 1;
  case attn::Combine::Max:
    return lowest;
  case attn::Combine::Min:
    return highest;
  }
  llvm_unreachable("a way to combine");
}

static double combined(attn::Combine combine, double a, double b) {
  switch (combine) {
  case attn::Combine::Add:
    return a + b;
  case attn::Combine::Mul:
    return a * b;
  case attn::Combine::Max:
    return std::isnan(a) || a > b ? a : b;
  case attn::Combine::Min:
    return std::isnan(a) || a < b ? a : b;
  }
  llvm_unreachable("a way to combine");
}

/// The gradient of the combination of two terms; for a maximum or minimum, the gradient of the first of equal terms.
static Gradient combinedGradients(attn::Combine combine, std::pair<double, Gradient> a, std::pair<double, Gradient> b,
                                  Rounding rounding) {
  switch (combine) {
  case attn::Combine::Add:
    a.second.addScaled(b.second, 1, rounding);
    return std::move(a.second);
  case attn::Combine::Mul: {
    Gradient sum;
    sum.addScaled(a.second, b.first, rounding);
    sum.addScaled(b.second, a.first, rounding);
    return sum;
  }
  case attn::Combine::Max:
    return a.first >= b.first ? std::move(a.second) : std::move(b.second);
  case attn::Combine::Min:
    return a.first <= b.first ? std::move(a.second) : std::move(b.second);
  }
  llvm_unreachable("a way to combine");
}

LogicalResult FormulaReader::readReduce(attn::ReduceOp op, FormulaBlock &block) {
  auto sizes = use(op, op.getSizes());
  FormulaBlock loop;
  if (failed(sizes) || failed(readBlock(op.getBody().front(), loop)))
    return failure();
  double identity = identityOf(op.getCombine(), op.getResult().getType());
  Rounding way = isa<FloatType>(op.getResult().getType()) ? rounding : Rounding::None;
  block.steps.emplace_back([=, combine = op.getCombine(), sizes = *sizes, to = declare(op.getResult())](Frame &frame) {
    double total = identity;
    Gradient gradient;
    auto visit = [&](ArrayRef<int64_t> indices) -> LogicalResult {
      for (auto [number, index] : llvm::zip_equal(loop.arguments, indices))
        frame.registers[number] = static_cast<double>(index);
      if (failed(run(loop, frame)))
        return failure();
      double before = total, term = frame.registers[loop.yielded[0]];
      total = rounded(combined(combine, before, term), way, Accuracy::Rounded);
      if (frame.differentiates)
        gradient =
            combinedGradients(combine, {before, std::move(gradient)}, {term, frame.gradients[loop.yielded[0]]}, way);
      return success();
    };
    if (failed(forEachIndex(integersOf(frame, sizes), visit)))
      return failure();
    frame.registers[to] = total;
    if (frame.differentiates)
      frame.gradients[to] = std::move(gradient);
    return success();
  });
  return success();
}

LogicalResult FormulaReader::readIf(scf::IfOp op, FormulaBlock &block) {
  auto condition = use(op, op.getCondition());
  FormulaBlock then, otherwise;
  if (failed(condition) || failed(readBlock(*op.thenBlock(), then)) ||
      (op.elseBlock() && failed(readBlock(*op.elseBlock(), otherwise))))
    return failure();
  block.steps.emplace_back([=, condition = *condition, to = declare(op.getResults())](Frame &frame) {
    const FormulaBlock &taken = frame.registers[condition] != 0 ? then : otherwise;
    if (failed(run(taken, frame)))
      return failure();
    copyRegisters(frame, taken.yielded, to);
    return success();
  });
  return success();
}

LogicalResult FormulaReader::readFor(scf::ForOp op, FormulaBlock &block) {
  auto bounds = use(op, ValueRange{op.getLowerBound(), op.getUpperBound(), op.getStep()});
  auto starts = use(op, op.getInitArgs());
  FormulaBlock loop;
  unsigned counter = declare(op.getInductionVar());
  loop.arguments = declare(op.getRegionIterArgs());
  if (failed(bounds) || failed(starts) || failed(readOps(*op.getBody(), loop)))
    return failure();
  block.steps.emplace_back([=, bounds = *bounds, starts = *starts, to = declare(op.getResults())](Frame &frame) {
    copyRegisters(frame, starts, loop.arguments);
    auto range = integersOf(frame, bounds);
    for (int64_t index = range[0]; index < range[1]; index += range[2]) {
      frame.registers[counter] = static_cast<double>(index);
      if (failed(run(loop, frame)))
        return failure();
      copyRegisters(frame, loop.yielded, loop.arguments);
    }
    copyRegisters(frame, loop.arguments, to);
    return success();
  });
  return success();
}

//===-------------------------------------------- Formula -------------------------------------------------------===//

FailureOr<Formula> Formula::read(Region &region, const Environment &environment, Rounding rounding, Fault &fault) {
  FormulaReader reader(environment, rounding, fault);
  FormulaBlock body;
  if (failed(reader.readBlock(region.front(), body)))
    return failure();
  return Formula(std::move(body), reader.initialRegisters());
}

FailureOr<ArrayRef<double>> Formula::evaluate(ArrayRef<double> values, ArrayRef<int64_t> indices) {
  frame.indices = indices;
  for (auto [number, value] : llvm::zip_equal(body.arguments, values))
    frame.registers[number] = value;
  if (failed(run(body, frame)))
    return failure();
  for (auto [result, number] : llvm::zip_equal(results, body.yielded))
    result = frame.registers[number];
  return ArrayRef<double>(results);
}

FailureOr<std::pair<double, Gradient>> Formula::differentiate(ArrayRef<double> values) {
  frame.gradients.resize(frame.registers.size()); // every gradient is written before it is read
  for (auto [position, number] : llvm::enumerate(body.arguments))
    frame.gradients[number] = Gradient({nullptr, static_cast<int64_t>(position)}, 1);
  frame.differentiates = true;
  auto result = evaluate(values);
  frame.differentiates = false;
  if (failed(result))
    return failure();
  return std::pair(result->front(), frame.gradients[body.yielded.front()]);
}
