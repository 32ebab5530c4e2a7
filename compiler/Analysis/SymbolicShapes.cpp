#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Sizes/IntegerFold.h"
#include "compiler/Sizes/SizeAnalysis.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <optional>

using namespace mlir;

namespace attnc {

//===-------------------------------------------- symbols -----------------------------------------------------===//

static std::string argumentName(func::FuncOp function, unsigned number) {
  if (auto name = function.getArgAttrOfType<StringAttr>(number, model::nameAttrName))
    return name.str();
  return "arg" + std::to_string(number);
}

SymbolicShapes::SymbolicShapes(func::FuncOp function, Lifetime lifetime) : function(function), lifetime(lifetime) {
  if (auto dimensions = function->getAttrOfType<ArrayAttr>(model::dimensionsAttrName))
    for (auto dimension : dimensions.getAsRange<model::DimensionAttr>())
      addSymbol(dimension.getName().str(), {});
  const std::vector<std::string> dimensionNames = symbolNames;
  for (BlockArgument argument : function.getArguments())
    addArgument(argument, dimensionNames);
}

/// The extents of an argument are those of its `model.shape` over the dimensions of the entry point. An extent that is
/// not declared is a symbol of its own.
void SymbolicShapes::addArgument(BlockArgument argument, ArrayRef<std::string> dimensionNames) {
  std::string name = argumentName(function, argument.getArgNumber());
  if (argument.getType().isIndex())
    known[{argument, -1}] = addSymbol(name, {argument, -1});
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type)
    return;
  auto declared = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), model::shapeAttrName);
  std::vector<SizeExpr> extents;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim)) {
      extents.push_back(type.getDimSize(dim));
      continue;
    }
    Origin origin{argument, dim};
    std::optional<SizeExpr> extent = declaredSize(declared, dim, dimensionNames);
    if (extent)
      determineSymbol(*extent, origin);
    extents.push_back(extent ? *extent : SizeExpr::symbol(addSymbol(name + "." + std::to_string(dim), origin)));
  }
  inherited[argument] = std::move(extents);
}

/// The symbol s of an extent a*s + b is determined by it. The symbol itself is preferred as an extent.
void SymbolicShapes::determineSymbol(const SizeExpr &extent, Origin origin) {
  std::optional<std::vector<SizeExpr::Product>> terms = extent.products();
  if (!terms || terms->empty() || terms->size() > 2 || terms->front().symbols.size() != 1 ||
      terms->front().coefficient <= 0)
    return;
  bool hasOffset = terms->size() == 2;
  if (hasOffset && !terms->back().symbols.empty())
    return;
  origin.factor = terms->front().coefficient;
  origin.offset = hasOffset ? terms->back().coefficient : 0;
  Origin &known = origins[terms->front().symbols.front()];
  bool isSymbol = origin.factor == 1 && origin.offset == 0, wasSymbol = known.factor == 1 && known.offset == 0;
  if (!known.value || (isSymbol && !wasSymbol))
    known = origin;
}

unsigned SymbolicShapes::addSymbol(std::string name, Origin origin) {
  symbolNames.push_back(std::move(name));
  origins.push_back(origin);
  values.push_back({});
  return symbolNames.size() - 1;
}

SizeExpr SymbolicShapes::unknown(Value value, int64_t dim) {
  auto [entry, isNew] = known.try_emplace({value, dim}, 0);
  if (isNew) {
    unsigned symbol = addSymbol("?" + std::to_string(symbolNames.size()), {value, dim});
    known[{value, dim}] = symbol;
    return SizeExpr::symbol(symbol);
  }
  return SizeExpr::symbol(entry->second);
}

void SymbolicShapes::inherit(Value made, Value replaced) { inherited[made] = shape(replaced); }

void SymbolicShapes::forget(Operation *op) {
  op->walk([&](Operation *each) {
    for (Value result : each->getResults()) {
      inherited.erase(result);
      auto type = dyn_cast<RankedTensorType>(result.getType());
      for (int64_t dim = type ? 0 : -1; dim < (type ? type.getRank() : 0); ++dim)
        if (auto found = known.find({result, dim}); found != known.end()) {
          origins[found->second] = {};
          known.erase(found);
        }
    }
  });
}

Value SymbolicShapes::symbolValue(unsigned symbol) {
  if (values[symbol])
    return values[symbol];
  auto argument = dyn_cast_if_present<BlockArgument>(origins[symbol].value);
  if (!argument || argument.getOwner()->getParentOp() != function)
    return {};
  if (origins[symbol].dim < 0)
    return values[symbol] = argument;
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToStart(&function.front());
  Location location = function.getLoc();
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, location, value); };
  auto [tensor, dim, factor, offset] = origins[symbol];
  Value value = tensor::DimOp::create(builder, location, tensor, dim);
  if (offset != 0)
    value = arith::SubIOp::create(builder, location, value, constant(offset));
  if (factor != 1)
    value = arith::DivUIOp::create(builder, location, value, constant(factor));
  return values[symbol] = value;
}

Value SymbolicShapes::materialise(OpBuilder &builder, Location location, const SizeExpr &size) {
  SmallVector<Value> operands(symbolNames.size());
  std::vector<SizeExpr> marks;
  for (unsigned symbol = 0; symbol < symbolNames.size(); ++symbol)
    marks.push_back(SizeExpr::symbol(symbol));
  for (unsigned symbol = 0; symbol < symbolNames.size(); ++symbol) {
    // The expression contains a symbol exactly if replacing the symbol changes it.
    marks[symbol] = SizeExpr(0);
    bool takesPart = !(size.substitute(marks) == size);
    marks[symbol] = SizeExpr::symbol(symbol);
    if (takesPart && !(operands[symbol] = symbolValue(symbol)))
      return {};
  }
  return size.materialise(builder, location, operands);
}

//===-------------------------------------------- sizes -------------------------------------------------------===//

SizeExpr SymbolicShapes::size(OpFoldResult index) {
  if (auto constant = getConstantIntValue(index))
    return SizeExpr(*constant);
  return size(cast<Value>(index));
}

SizeExpr SymbolicShapes::size(Value index) {
  if (auto constant = getConstantIntValue(index))
    return SizeExpr(*constant);
  if (auto found = known.find({index, -1}); found != known.end())
    return SizeExpr::symbol(found->second);
  auto operandSize = [&](Value operand) {
    return operand.getType().isIndex() ? std::optional(size(operand)) : std::nullopt;
  };
  auto sourceExtent = [&](Value tensor, int64_t dim) { return std::optional(extent(tensor, dim)); };
  Operation *op = index.getDefiningOp();
  if (std::optional<SizeExpr> folded = op ? foldSize(op, operandSize, sourceExtent) : std::nullopt)
    return *folded;
  return unknown(index, -1);
}

SizeExpr SymbolicShapes::extent(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return SizeExpr(type.getDimSize(dim));
  if (auto found = known.find({tensor, dim}); found != known.end())
    return SizeExpr::symbol(found->second);
  if (auto found = inherited.find(tensor); found != inherited.end())
    return found->second[dim];
  if (auto result = dyn_cast<OpResult>(tensor))
    return extentOfResult(result, dim);
  auto argument = cast<BlockArgument>(tensor);
  // A loop-carried tensor has the same shape in all iterations.
  if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
    if (OpOperand *initial = loop.getTiedLoopInit(argument))
      return extent(initial->get(), dim);
  return unknown(tensor, dim);
}

SizeExpr SymbolicShapes::extentOfResult(OpResult result, int64_t dim) {
  return llvm::TypeSwitch<Operation *, SizeExpr>(result.getOwner())
      .Case([&](linalg::LinalgOp op) { return extent(op.getDpsInitOperand(result.getResultNumber())->get(), dim); })
      .Case(
          [&](attn::AttendOp op) { return size(attn::sizesOf(op, op.getStatistics()[result.getResultNumber()])[dim]); })
      .Case([&](attn::AttendGradientOp op) { return extent(op.getOf()[result.getResultNumber()], dim); })
      .Case([&](attn::ScatterAddOp op) { return extent(op.getInit(), dim); })
      .Case<attn::VariableOp, attn::StopOp>([&](auto op) { return extent(op.getOperand(), dim); })
      .Case([&](attn::GradientOp op) { return extent(op.getVariable(), dim); })
      .Case([&](model::ElementOp op) { return extent(op.getList(), dim + 1); })
      .Case([&](model::WithElementOp op) { return extent(op.getList(), dim); })
      .Case([&](model::AppendOp op) { return extent(op.getCache(), dim); })
      .Case([&](model::CallOp op) { return dim == 0 ? extent(op.getInputs().front(), 0) : unknown(result, dim); })
      .Case([&](scf::ForOp op) { return extent(op.getInitArgs()[result.getResultNumber()], dim); })
      .Case([&](func::CallOp op) { return extentOfCall(op, result.getResultNumber(), dim); })
      .Case([&](tensor::EmptyOp op) { return size(op.getDynamicSize(dim)); })
      .Case([&](tensor::CastOp op) { return extent(op.getSource(), dim); })
      .Case([&](tensor::ExtractSliceOp op) {
        llvm::SmallBitVector dropped = op.getDroppedDims();
        unsigned position = 0;
        for (int64_t kept = -1; position < dropped.size(); ++position)
          if (!dropped[position] && ++kept == dim)
            break;
        return size(op.getMixedSizes()[position]);
      })
      .Case([&](tensor::ExpandShapeOp op) { return size(op.getMixedOutputShape()[dim]); })
      .Case([&](tensor::CollapseShapeOp op) {
        SizeExpr product(1);
        ReassociationIndices group = op.getReassociationIndices()[dim];
        for (int64_t source : group)
          product *= extent(op.getSrc(), source);
        return product;
      })
      .Case([&](tensor::ConcatOp op) {
        if (static_cast<int64_t>(op.getDim()) != dim)
          return extent(op.getInputs().front(), dim);
        SizeExpr sum;
        for (Value input : op.getInputs())
          sum += extent(input, dim);
        return sum;
      })
      .Default([&](Operation *) { return unknown(result, dim); });
}

/// The extents of a kernel's result, from its body and the extents of its arguments.
SizeExpr SymbolicShapes::extentOfCall(func::CallOp call, unsigned result, int64_t dim) {
  std::pair<Value, int64_t> key(call.getResult(result), dim);
  if (auto found = met.find(key); found != met.end())
    return found->second;
  auto callee = lifetime == Lifetime::Stays
                    ? symbolTables.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr())
                    : SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  if (!callee || callee.isExternal())
    return unknown(call.getResult(result), dim);
  ++depth;
  SymbolicShapes inside(callee);
  SizeExpr size = inside.extent(callee.front().getTerminator()->getOperand(result), dim);
  std::vector<SizeExpr> bindings(inside.origins.size());
  bool followsFromOperands = true;
  for (auto [number, origin] : llvm::enumerate(inside.origins)) {
    if (!size.mentions(number))
      continue;
    auto argument = dyn_cast_if_present<BlockArgument>(origin.value);
    followsFromOperands &= argument && argument.getOwner() == &callee.front();
    if (!followsFromOperands)
      break;
    Value operand = call.getOperand(argument.getArgNumber());
    bindings[number] = origin.dim < 0 ? this->size(operand) : this->extent(operand, origin.dim);
  }
  SizeExpr extent = followsFromOperands ? size.substitute(bindings) : unknown(call.getResult(result), dim);
  if (--depth == 0 && lifetime == Lifetime::Changes)
    met.clear(); // the function may change before the next query
  else
    met.try_emplace(key, extent);
  return extent;
}

std::vector<SizeExpr> SymbolicShapes::shape(Value tensor) {
  std::vector<SizeExpr> extents;
  for (int64_t dim = 0; dim < cast<RankedTensorType>(tensor.getType()).getRank(); ++dim)
    extents.push_back(extent(tensor, dim));
  return extents;
}

SizeExpr SymbolicShapes::elements(Value tensor) {
  SizeExpr product(1);
  for (const SizeExpr &extent : shape(tensor))
    product *= extent;
  return product;
}

SizeExpr SymbolicShapes::bytes(Value tensor) {
  unsigned bits = cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth();
  return elements(tensor) * SizeExpr((bits + 7) / 8);
}

std::vector<SizeExpr> loopExtents(linalg::GenericOp op, SymbolicShapes &shapes) {
  std::vector<SizeExpr> extents(op.getNumLoops(), SizeExpr(0));
  llvm::SmallBitVector found(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr); loop && !found[loop.getPosition()]) {
        extents[loop.getPosition()] = shapes.extent(operand.get(), dim);
        found.set(loop.getPosition());
      }
  }
  return extents;
}

void resolveSizes(func::FuncOp function) {
  SymbolicShapes shapes(function);
  SmallVector<tensor::DimOp> dims;
  function.walk([&](tensor::DimOp dim) { dims.push_back(dim); });
  for (tensor::DimOp dim : dims) {
    OpBuilder builder(dim);
    Value value = shapes.materialise(builder, dim.getLoc(), shapes.size(dim.getResult()));
    if (!value || value == dim.getResult())
      continue;
    dim.getResult().replaceAllUsesWith(value);
    dim.erase();
  }
}

} // namespace attnc
