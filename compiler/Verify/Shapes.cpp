#include "compiler/Verify/Shapes.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attnc::verify {

Shapes::Shapes(func::FuncOp entry, ArrayRef<std::string> symbols) : symbols(symbols) {
  for (auto [number, argument] : llvm::enumerate(entry.getArguments())) {
    auto declared = entry.getArgAttrOfType<ArrayAttr>(number, model::shapeAttrName);
    Shape shape;
    for (Attribute size : declared ? declared.getValue() : ArrayRef<Attribute>())
      shape.push_back(SizeExpr::parse(cast<StringAttr>(size).getValue(), symbols));
    define(argument, std::move(shape), entryFrame);
  }
  run(entry.getBody().front(), entryFrame);
}

std::optional<SizeExpr> Shapes::bytes(Value tensor) const {
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  SizeExpr product(std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8));
  auto shape = entryFrame.tensors.find(tensor);
  if (shape == entryFrame.tensors.end())
    return std::nullopt;
  for (const Size &size : shape->second) {
    if (!size)
      return std::nullopt;
    product *= *size;
  }
  return product;
}

/// Static dimensions of the type are always known.
void Shapes::define(Value value, Shape shape, Frame &frame) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  shape.resize(type.getRank());
  for (auto [size, known] : llvm::zip_equal(shape, type.getShape()))
    if (!ShapedType::isDynamic(known))
      size = SizeExpr(known);
  frame.tensors[value] = std::move(shape);
}

void Shapes::run(Block &block, Frame &frame) {
  for (Operation &op : block)
    run(op, frame);
}

void Shapes::run(Operation &op, Frame &frame) {
  noteScores(op, frame);
  if (auto inner = dyn_cast<func::CallOp>(op))
    return call(inner, frame);
  if (isa<scf::ForOp>(op))
    return runLoop(op, frame);
  for (OpResult result : op.getResults())
    if (isa<RankedTensorType>(result.getType()))
      define(result, shapeOf(result, frame), frame);
    else if (result.getType().isIndex())
      frame.numbers[result] = arithmetic(op, frame);
}

/// An iteration of a loop preserves the shapes of carried values.
void Shapes::runLoop(Operation &op, Frame &frame) {
  auto loop = cast<scf::ForOp>(op);
  for (auto [argument, init] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInits()))
    define(argument, shapeOf(init, frame), frame);
  run(*loop.getBody(), frame);
  for (auto [result, init, next] : llvm::zip_equal(loop.getResults(), loop.getInits(), loop.getYieldedValues()))
    if (shapeOf(init, frame) == shapeOf(next, frame))
      define(result, shapeOf(init, frame), frame);
}

void Shapes::call(func::CallOp call, Frame &frame) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  if (!kernel || kernel.isExternal())
    return;
  Frame inside;
  for (auto [argument, operand] : llvm::zip_equal(kernel.getArguments(), call.getOperands()))
    if (operand.getType().isIndex())
      inside.numbers[argument] = number(operand, frame);
    else
      define(argument, shapeOf(operand, frame), inside);
  Block &body = kernel.getBody().front();
  run(body, inside);
  for (auto [result, value] : llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
    define(result, shapeOf(value, inside), frame);
}

Shapes::Size Shapes::number(OpFoldResult size, const Frame &frame) const {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return SizeExpr(*constant);
  return frame.numbers.lookup(cast<Value>(size));
}

Shapes::Size Shapes::arithmetic(Operation &op, const Frame &frame) const {
  if (auto constant = dyn_cast<arith::ConstantIndexOp>(op))
    return SizeExpr(constant.value());
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> position = dim.getConstantIndex();
    Shape shape = shapeOf(dim.getSource(), frame);
    return position && size_t(*position) < shape.size() ? shape[*position] : std::nullopt;
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return number(op.getOperand(0), frame);
  if (op.getNumOperands() != 2)
    return std::nullopt;
  Size left = number(op.getOperand(0), frame), right = number(op.getOperand(1), frame);
  if (!left || !right)
    return std::nullopt;
  int64_t divisor = right->isConstant() ? right->constant() : 0;
  return TypeSwitch<Operation *, Size>(&op)
      .Case([&](arith::AddIOp) { return *left + *right; })
      .Case([&](arith::SubIOp) { return *left - *right; })
      .Case([&](arith::MulIOp) { return *left * *right; })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) { return SizeExpr::max(*left, *right); })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) { return SizeExpr::min(*left, *right); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return divisor > 0 ? Size(left->ceilDiv(divisor)) : std::nullopt; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
          [&](auto) { return divisor > 0 ? Size(left->floorDiv(divisor)) : std::nullopt; })
      .Default([](Operation *) { return std::nullopt; });
}

Shapes::Shape Shapes::numbers(ArrayRef<OpFoldResult> sizes, const Frame &frame) const {
  Shape shape;
  for (OpFoldResult size : sizes)
    shape.push_back(number(size, frame));
  return shape;
}

/// The shape of the result of an op that creates, moves or selects elements.
Shapes::Shape Shapes::shapeOfMove(Operation *op, const Frame &frame) const {
  return TypeSwitch<Operation *, Shape>(op)
      .Case([&](tensor::EmptyOp empty) { return numbers(empty.getMixedSizes(), frame); })
      .Case([&](tensor::ExpandShapeOp expand) { return numbers(expand.getMixedOutputShape(), frame); })
      .Case([&](tensor::CastOp same) { return shapeOf(same.getSource(), frame); })
      .Case([&](tensor::ExtractSliceOp slice) {
        Shape shape;
        llvm::SmallBitVector dropped = slice.getDroppedDims();
        for (auto [position, size] : llvm::enumerate(numbers(slice.getMixedSizes(), frame)))
          if (!dropped[position])
            shape.push_back(size);
        return shape;
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        Shape source = shapeOf(collapse.getSrc(), frame), shape;
        for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
          Size product = SizeExpr(1);
          for (int64_t dimension : group)
            product = product && source[dimension] ? Size(*product * *source[dimension]) : std::nullopt;
          shape.push_back(product);
        }
        return shape;
      })
      .Case([&](tensor::ConcatOp concat) {
        Shape shape = shapeOf(concat.getInputs().front(), frame);
        Size &along = shape[concat.getDim()];
        for (Value input : concat.getInputs().drop_front()) {
          Size more = shapeOf(input, frame)[concat.getDim()];
          along = along && more ? Size(*along + *more) : std::nullopt;
        }
        return shape;
      })
      .Case([&](tensor::PadOp pad) {
        Shape shape = shapeOf(pad.getSource(), frame);
        for (auto [size, low, high] :
             llvm::zip_equal(shape, numbers(pad.getMixedLowPad(), frame), numbers(pad.getMixedHighPad(), frame)))
          size = size && low && high ? Size(*size + *low + *high) : std::nullopt;
        return shape;
      })
      .Case([&](tensor::GenerateOp generate) {
        Shape shape(generate.getType().getRank());
        auto extent = generate.getDynamicExtents().begin();
        for (int64_t position = 0; position < generate.getType().getRank(); ++position)
          if (generate.getType().isDynamicDim(position))
            shape[position] = number(*extent++, frame);
        return shape;
      })
      .Default([](Operation *) { return Shape(); });
}

Shapes::Shape Shapes::shapeOf(OpResult result, const Frame &frame) const {
  return TypeSwitch<Operation *, Shape>(result.getOwner())
      .Case([&](DestinationStyleOpInterface styled) { return shapeOf(styled.getTiedOpOperand(result)->get(), frame); })
      .Case([&](attn::AttendOp attend) {
        return numbers(attn::sizesOf(attend, attend.getStatistics()[result.getResultNumber()]), frame);
      })
      .Case([&](attn::AttendGradientOp gradient) { return shapeOf(gradient.getOf()[result.getResultNumber()], frame); })
      .Case([&](attn::ScatterAddOp scatter) { return shapeOf(scatter.getInit(), frame); })
      .Case([&](model::AppendOp append) { return shapeOf(append.getCache(), frame); })
      .Case([&](model::WithElementOp list) { return shapeOf(list.getList(), frame); })
      .Case([&](model::ElementOp element) {
        Shape list = shapeOf(element.getList(), frame);
        return Shape(list.begin() + 1, list.end());
      })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto same) { return shapeOf(same.getIn(), frame); })
      .Default([&](Operation *op) { return shapeOfMove(op, frame); });
}

} // namespace attnc::verify
