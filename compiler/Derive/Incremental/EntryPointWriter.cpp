#include "compiler/Derive/Incremental/EntryPointWriter.h"

using namespace mlir;

namespace attnc {

static DictionaryAttr attributesOf(Builder &builder, const Port &port) {
  SmallVector<Attribute> shape;
  for (const std::string &size : port.shape)
    shape.push_back(builder.getStringAttr(size));
  SmallVector<NamedAttribute> attributes = {builder.getNamedAttr(model::nameAttrName, builder.getStringAttr(port.name)),
                                            builder.getNamedAttr(model::shapeAttrName, builder.getArrayAttr(shape))};
  if (port.isState)
    attributes.push_back(builder.getNamedAttr(model::stateAttrName, builder.getUnitAttr()));
  return builder.getDictionaryAttr(attributes);
}

std::vector<model::DimensionAttr> EntryPointWriter::oldDimensions() {
  std::vector<model::DimensionAttr> dimensions;
  for (Attribute each : old->getAttrOfType<ArrayAttr>(model::dimensionsAttrName))
    dimensions.push_back(cast<model::DimensionAttr>(each));
  return dimensions;
}

Port EntryPointWriter::port(BlockArgument argument) {
  Port port{
      argument.getType(), old.getArgAttrOfType<StringAttr>(argument.getArgNumber(), model::nameAttrName).str(), {}};
  for (const SizeExpr &extent : dims.shapes.shape(argument))
    port.shape.push_back(dims.shapes.text(extent));
  return port;
}

func::FuncOp EntryPointWriter::create(ArrayRef<Port> arguments, ArrayRef<model::DimensionAttr> dimensions) {
  SmallVector<Type> types;
  SmallVector<Attribute> attributes, bound;
  for (const Port &argument : arguments) {
    types.push_back(argument.type);
    attributes.push_back(attributesOf(builder, argument));
  }
  builder.setInsertionPoint(old);
  result = func::FuncOp::create(builder, old.getLoc(), name, builder.getFunctionType(types, {}));
  result->setAttr(model::entryAttrName, builder.getUnitAttr());
  if (auto doc = old->getAttr(model::docAttrName))
    result->setAttr(model::docAttrName, doc);
  result.setAllArgAttrs(attributes);
  Block *body = result.addEntryBlock();
  builder.setInsertionPointToStart(body);
  symbolSizes.resize(dims.shapes.names().size());
  for (model::DimensionAttr dimension : dimensions) {
    Value size;
    for (auto [argument, value] : llvm::zip_equal(arguments, body->getArguments()))
      if (auto found = llvm::find(argument.shape, dimension.getName().getValue());
          !size && found != argument.shape.end())
        size = tensor::DimOp::create(builder, result.getLoc(), value, found - argument.shape.begin());
    if (!size)
      continue;
    bound.push_back(dimension);
    auto symbol = llvm::find(dims.shapes.names(), dimension.getName().getValue());
    if (symbol != dims.shapes.names().end())
      symbolSizes[symbol - dims.shapes.names().begin()] = size;
  }
  result->setAttr(model::dimensionsAttrName, builder.getArrayAttr(bound));
  return result;
}

void EntryPointWriter::finish(ArrayRef<Port> results, ValueRange returned) {
  SmallVector<Attribute> attributes;
  for (const Port &result : results)
    attributes.push_back(attributesOf(builder, result));
  func::ReturnOp::create(builder, old.getLoc(), returned);
  result.setType(builder.getFunctionType(result.getArgumentTypes(), returned.getTypes()));
  result.setAllResultAttrs(attributes);
}

bool EntryPointWriter::isKnown(const SizeExpr &size) const {
  return llvm::none_of(llvm::enumerate(symbolSizes),
                       [&](auto symbol) { return !symbol.value() && size.mentions(symbol.index()); });
}

Value EntryPointWriter::size(const SizeExpr &size, Location at) {
  return isKnown(size) ? size.materialise(builder, at, symbolSizes) : Value();
}

bool EntryPointWriter::isKnown(Operation &op) {
  return !op.walk([&](Operation *inner) {
              for (Value operand : inner->getOperands())
                if (!values.contains(operand) && !op.isAncestor(operand.getParentBlock()->getParentOp()))
                  return WalkResult::interrupt();
              return WalkResult::advance();
            }).wasInterrupted();
}

void EntryPointWriter::writeScalar(Operation &op) {
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    if (Value known = size(dims.shapes.size(dim.getResult()), op.getLoc()))
      values.map(dim.getResult(), known);
  } else if (isKnown(op)) {
    builder.clone(op, values);
  }
}

Value EntryPointWriter::elementIndex(const RetainedValue &retained, Location at) {
  Value elementIndex;
  for (scf::ForOp loop : retained.loops) {
    Value index = values.lookup(loop.getInductionVar());
    if (elementIndex) {
      Value iterations = values.lookup(loop.getUpperBound());
      elementIndex =
          arith::AddIOp::create(builder, at, arith::MulIOp::create(builder, at, elementIndex, iterations), index);
    } else {
      elementIndex = index;
    }
  }
  return elementIndex;
}

RankedTensorType EntryPointWriter::listOf(const RetainedValue &retained, RankedTensorType element) {
  SmallVector<int64_t> shape(element.getShape());
  if (!retained.loops.empty())
    shape.insert(shape.begin(), retained.count);
  return RankedTensorType::get(shape, element.getElementType());
}

SmallVector<std::string> EntryPointWriter::listShape(const RetainedValue &retained, SmallVector<std::string> element) {
  if (!retained.loops.empty())
    element.insert(element.begin(), std::to_string(retained.count));
  return element;
}

} // namespace attnc
