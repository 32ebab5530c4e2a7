#include "compiler/Sizes/SizeAnalysis.h"
#include "compiler/Sizes/IntegerFold.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attnc {

std::optional<SizeExpr> declaredSize(ArrayAttr shape, unsigned dimension, ArrayRef<std::string> names) {
  if (!shape || dimension >= shape.size())
    return std::nullopt;
  std::optional<SizeExpr> size = SizeExpr::parse(cast<StringAttr>(shape[dimension]).getValue(), names);
  return size && size->products(/*quotients=*/true) ? size : std::nullopt;
}

FailureOr<SizeAnalysis> SizeAnalysis::ofEntry(func::FuncOp entry) {
  SizeAnalysis analysis;
  auto dimensions = entry->getAttrOfType<ArrayAttr>(model::dimensionsAttrName);
  for (Attribute dimension : dimensions ? dimensions.getValue() : ArrayRef<Attribute>())
    analysis.names.push_back(cast<model::DimensionAttr>(dimension).getName().str());
  auto declare = [&](Type declared, ArrayAttr shape, const llvm::Twine &what, Value argument) -> LogicalResult {
    auto type = dyn_cast<RankedTensorType>(declared);
    if (!type)
      return entry.emitError() << what << " of entry point " << entry.getName() << " is not a tensor";
    for (int64_t dimension = 0; dimension < type.getRank(); ++dimension) {
      if (!type.isDynamicDim(dimension))
        continue;
      std::optional<SizeExpr> size = declaredSize(shape, dimension, analysis.names);
      if (!size)
        return entry.emitError() << "size " << dimension << " of " << what << " of entry point '" << entry.getName()
                                 << "' is "
                                 << (shape && dimension < int64_t(shape.size())
                                         ? cast<StringAttr>(shape[dimension]).getValue()
                                         : StringRef("not declared"))
                                 << ", expected sums, products and quotients of dimensions and numbers";
      if (argument)
        analysis.known[{argument, dimension}] = size;
    }
    return success();
  };
  for (auto [number, argument] : llvm::enumerate(entry.getArguments()))
    if (failed(declare(argument.getType(), entry.getArgAttrOfType<ArrayAttr>(number, model::shapeAttrName),
                       "argument " + llvm::Twine(number), argument)))
      return failure();
  for (auto [number, type] : llvm::enumerate(entry.getResultTypes()))
    if (failed(declare(type, entry.getResultAttrOfType<ArrayAttr>(number, model::shapeAttrName),
                       "result " + llvm::Twine(number), Value())))
      return failure();
  return analysis;
}

SizeAnalysis SizeAnalysis::ofKernel(func::FuncOp kernel) {
  SizeAnalysis analysis;
  unsigned next = 0;
  for (BlockArgument argument : kernel.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
        if (type.isDynamicDim(dimension))
          analysis.known[{argument, dimension}] = SizeExpr::symbol(next++);
  for (Type type : kernel.getResultTypes())
    next += cast<RankedTensorType>(type).getNumDynamicDims();
  for (BlockArgument argument : kernel.getArguments())
    if (argument.getType().isIndex())
      analysis.known[{argument, indexValue}] = SizeExpr::symbol(next++);
  return analysis;
}

std::optional<SizeExpr> SizeAnalysis::size(Value tensor, int64_t dimension) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dimension))
    return SizeExpr(type.getDimSize(dimension));
  if (auto found = known.find({tensor, dimension}); found != known.end())
    return found->second;
  std::optional<SizeExpr> result;
  if (auto defined = dyn_cast<OpResult>(tensor)) {
    result = compute(defined, dimension);
  } else {
    auto argument = cast<BlockArgument>(tensor);
    if (auto loop = dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp()))
      result = size(loop.getTiedLoopInit(argument)->get(), dimension);
  }
  if (result && result->isTooLong())
    result = std::nullopt;
  known[{tensor, dimension}] = result;
  return result;
}

std::optional<SizeExpr> SizeAnalysis::elements(Value tensor) {
  SizeExpr product(1);
  for (int64_t dimension = 0; dimension < cast<RankedTensorType>(tensor.getType()).getRank(); ++dimension) {
    std::optional<SizeExpr> factor = size(tensor, dimension);
    if (!factor)
      return std::nullopt;
    product *= *factor;
  }
  return product;
}

std::optional<SizeExpr> SizeAnalysis::product(Value tensor, ArrayRef<int64_t> dimensions) {
  std::optional<SizeExpr> product = SizeExpr(1);
  for (int64_t dimension : dimensions) {
    std::optional<SizeExpr> factor = size(tensor, dimension);
    product = product && factor ? SizeExpr::checkedProduct(*product, *factor) : std::nullopt;
  }
  return product;
}

std::optional<SizeExpr> SizeAnalysis::bytes(Value tensor) {
  std::optional<SizeExpr> count = elements(tensor);
  if (!count)
    return std::nullopt;
  return *count * SizeExpr(elementBytes(cast<RankedTensorType>(tensor.getType()).getElementType()));
}

std::optional<SizeExpr> SizeAnalysis::fold(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return SizeExpr(*constant);
  return index(cast<Value>(size));
}

std::optional<SizeExpr> SizeAnalysis::compute(OpResult result, int64_t dimension) {
  using Size = std::optional<SizeExpr>;
  return TypeSwitch<Operation *, Size>(result.getOwner())
      .Case([&](DestinationStyleOpInterface styled) { return size(styled.getTiedOpOperand(result)->get(), dimension); })
      .Case([&](tensor::EmptyOp empty) { return fold(empty.getMixedSizes()[dimension]); })
      .Case([&](tensor::CastOp cast) { return size(cast.getSource(), dimension); })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](Operation *op) { return size(op->getOperand(0), dimension); })
      .Case([&](tensor::GenerateOp generate) {
        return index(generate.getDynamicExtents()[generate.getType().getDynamicDimIndex(dimension)]);
      })
      .Case([&](tensor::PadOp pad) -> Size {
        Size source = size(pad.getSource(), dimension), low = fold(pad.getMixedLowPad()[dimension]),
             high = fold(pad.getMixedHighPad()[dimension]);
        return source && low && high ? Size(*source + *low + *high) : std::nullopt;
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        llvm::SmallBitVector dropped = slice.getDroppedDims();
        int64_t kept = -1, source = -1;
        while (kept < dimension)
          kept += !dropped[++source];
        return fold(slice.getMixedSizes()[source]);
      })
      .Case([&](tensor::ConcatOp concat) {
        if (int64_t(concat.getDim()) != dimension)
          return size(concat.getInputs().front(), dimension);
        Size sum = SizeExpr(0);
        for (Value input : concat.getInputs()) {
          Size part = size(input, dimension);
          sum = sum && part ? Size(*sum + *part) : std::nullopt;
        }
        return sum;
      })
      .Case([&](tensor::ExpandShapeOp expand) { return fold(expand.getMixedOutputShape()[dimension]); })
      .Case([&](tensor::CollapseShapeOp collapse) {
        return product(collapse.getSrc(), collapse.getReassociationIndices()[dimension]);
      })
      .Case([&](attn::AttendOp attend) {
        return fold(attn::sizesOf(attend, attend.getStatistics()[result.getResultNumber()])[dimension]);
      })
      .Case(
          [&](attn::AttendGradientOp gradient) { return size(gradient.getOf()[result.getResultNumber()], dimension); })
      .Case([&](attn::ScatterAddOp scatter) { return size(scatter.getInit(), dimension); })
      .Case<attn::VariableOp, attn::StopOp>([&](auto same) { return size(same.getOperand(), dimension); })
      .Case([&](attn::GradientOp gradient) { return size(gradient.getVariable(), dimension); })
      .Case([&](model::ElementOp element) { return size(element.getList(), dimension + 1); })
      .Case([&](model::WithElementOp list) { return size(list.getList(), dimension); })
      .Case([&](model::AppendOp append) { return size(append.getCache(), dimension); })
      .Case([&](model::CallOp call) {
        return dimension == 0 ? size(call.getInputs().front(), 0) : std::nullopt; // the only dynamic size
      })
      .Case([&](scf::ForOp loop) { return size(loop.getInits()[result.getResultNumber()], dimension); })
      .Case([&](func::CallOp call) { return callSize(call, result.getResultNumber(), dimension); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<SizeExpr> SizeAnalysis::index(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return SizeExpr(*constant);
  if (auto found = known.find({value, indexValue}); found != known.end())
    return found->second;
  std::optional<SizeExpr> result;
  if (Operation *op = value.getDefiningOp())
    result = foldSize(
        op, [&](Value operand) { return index(operand); },
        [&](Value tensor, int64_t dimension) { return size(tensor, dimension); });
  known[{value, indexValue}] = result;
  return result;
}

std::optional<SizeExpr> SizeAnalysis::resultSize(func::FuncOp kernel, unsigned result, int64_t dimension) {
  return size(kernel.getBody().front().getTerminator()->getOperand(result), dimension);
}

std::optional<SizeExpr> substituteKnown(const SizeExpr &expr, ArrayRef<std::optional<SizeExpr>> symbols) {
  std::vector<SizeExpr> values;
  for (const auto &[number, symbol] : llvm::enumerate(symbols)) {
    if (!symbol && expr.mentions(number))
      return std::nullopt;
    values.push_back(symbol.value_or(SizeExpr()));
  }
  return expr.substitute(values);
}

/// The replacements of the kernel's symbols for the call's operands; null for the symbols of its results.
std::vector<std::optional<SizeExpr>> SizeAnalysis::operandSymbols(func::CallOp call) {
  std::vector<std::optional<SizeExpr>> symbols;
  for (Value operand : call.getOperands())
    if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
      for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
        if (type.isDynamicDim(dimension))
          symbols.push_back(size(operand, dimension));
  for (Type type : call.getResultTypes())
    symbols.insert(symbols.end(), cast<RankedTensorType>(type).getNumDynamicDims(), std::nullopt);
  for (Value operand : call.getOperands())
    if (operand.getType().isIndex())
      symbols.push_back(index(operand));
  return symbols;
}

std::vector<std::optional<SizeExpr>> SizeAnalysis::kernelSymbols(func::CallOp call) {
  std::vector<std::optional<SizeExpr>> symbols = operandSymbols(call);
  size_t next = 0;
  for (Value operand : call.getOperands())
    if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
      next += type.getNumDynamicDims();
  for (Value result : call.getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
      if (type.isDynamicDim(dimension))
        symbols[next++] = size(result, dimension);
  }
  return symbols;
}

std::optional<SizeExpr> SizeAnalysis::callSize(func::CallOp call, unsigned result, int64_t dimension) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  std::optional<SizeExpr> size = ofKernel(kernel).resultSize(kernel, result, dimension);
  return size ? substituteKnown(*size, operandSymbols(call)) : std::nullopt;
}

} // namespace attnc
