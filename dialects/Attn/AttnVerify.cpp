// Verifiers of the attn dialect. They run after the ops inside of the regions are verified.
#include "dialects/Attn/Attn.h"
#include "dialects/Attn/EnumNames.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::attn;

namespace {
/// Signature of one region of attend.
struct Formula {
  StringRef name;
  Region &region;
  Type leading; ///< type of an argument before the indices, or null
  int64_t indices;
  Type yielded;
  StringRef arguments; ///< their description in messages
};
} // namespace

static bool isFormulaOp(Operation *op) {
  return isa<tensor::ExtractOp, tensor::DimOp, affine::AffineApplyOp, ReduceOp, StopOp, UniformOp, YieldOp>(op) ||
         isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
}

static LogicalResult verifyFormula(Operation *op, const Formula &formula) {
  if (formula.region.empty())
    return success();
  SmallVector<Type> expected;
  if (formula.leading)
    expected.push_back(formula.leading);
  expected.append(formula.indices, IndexType::get(op->getContext()));
  if (formula.region.getArgumentTypes() != TypeRange(expected)) {
    InFlightDiagnostic diagnostic = op->emitOpError() << formula.name << " region has arguments (";
    llvm::interleaveComma(formula.region.getArgumentTypes(), diagnostic);
    diagnostic << "), expected (";
    llvm::interleaveComma(expected, diagnostic);
    return diagnostic << "): " << formula.arguments;
  }
  WalkResult found = formula.region.walk([&](Operation *inner) {
    if (isFormulaOp(inner))
      return WalkResult::advance();
    inner->emitOpError() << "is not allowed in the " << formula.name << " region of " << op->getName()
                         << ", which contains only arith, math, tensor.extract, tensor.dim, "
                            "affine.apply, attn.reduce, attn.stop and attn.uniform";
    return WalkResult::interrupt();
  });
  if (found.wasInterrupted())
    return failure();
  auto yield = dyn_cast<YieldOp>(formula.region.front().getTerminator());
  if (!yield)
    return op->emitOpError() << formula.name << " region does not end in attn.yield";
  if (yield.getValue().getType() != formula.yielded)
    return op->emitOpError() << formula.name << " region yields " << yield.getValue().getType() << ", expected "
                             << formula.yielded;
  return success();
}

template <typename Op> static LogicalResult verifyFormulas(Op op) {
  Type f32 = Float32Type::get(op.getContext()), i1 = IntegerType::get(op.getContext(), 1);
  int64_t pair = op.getNumOuter() + op.getNumKeys();
  const Formula formulas[] = {
      {"score", op.getScore(), {}, pair, f32, "outer indices, then key indices"},
      {"mask", op.getMask(), {}, pair, i1, "outer indices, then key indices"},
      {"weight", op.getWeight(), f32, pair, f32, "the weight, then outer and key indices"},
      {"value", op.getValue(), {}, pair + op.getNumValues(), f32, "outer, key and value indices"},
      {"sink", op.getSink(), {}, op.getNumOuter(), f32, "outer indices"},
  };
  for (const Formula &formula : formulas)
    if (failed(verifyFormula(op, formula)))
      return failure();
  return success();
}

/// Verifies the type of a result (`role` is "result") or of a tensor with the shape of a result ("cotangent", "saved").
template <typename Op> static LogicalResult verifyStatistic(Op op, StringRef role, Statistic statistic, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  StringRef name = textOf(statistic);
  bool isOfKeys = infoOf(statistic).isOfKeys;
  if (isOfKeys ? !type.getElementType().isInteger(32) : !type.getElementType().isF32())
    return op.emitOpError() << role << " " << name << " is " << type << ", expected elements of "
                            << (isOfKeys ? "i32" : "f32");
  SmallVector<OpFoldResult> sizes = sizesOf(op, statistic);
  if (type.getRank() != static_cast<int64_t>(sizes.size()))
    return op.emitOpError() << role << " " << name << " is " << type << ", expected rank " << sizes.size();
  for (auto [dimension, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    if (constant && !type.isDynamicDim(dimension) && type.getDimSize(dimension) != *constant)
      return op.emitOpError() << role << " " << name << " is " << type << ", but the size of dimension " << dimension
                              << " is " << *constant;
  }
  return success();
}

template <typename Op> static LogicalResult verifyValueLayout(Op op) {
  auto layout = op.getValueLayout();
  if (!layout)
    return success();
  SmallVector<int64_t> sorted(*layout);
  llvm::sort(sorted);
  int64_t dimensions = op.getNumOuter() + op.getNumValues();
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, dimensions)))
    return op.emitOpError() << "value_layout [" << *layout << "] is not a permutation of the " << dimensions
                            << " outer and value dimensions";
  return success();
}

/// Verifies the parameters of normalisers: alpha of entmax, the sink of softmax.
template <typename Op> static LogicalResult verifyNormaliser(Op op) {
  StringRef name = stringifyNormaliser(op.getNormaliser());
  bool isEntmax = op.getNormaliser() == Normaliser::Entmax;
  if (isEntmax != bool(op.getAlpha()))
    return op.emitOpError() << (isEntmax ? "normalises by entmax without an alpha, expected for example entmax(1.5)"
                                         : "has an alpha, which requires entmax, but normalises by " + name.str());
  double alpha = isEntmax ? op.getAlpha()->convertToDouble() : 2;
  if (!(alpha > 1 && alpha <= 2))
    return op.emitOpError() << "normalises by entmax(" << alpha << "), expected an alpha in (1, 2]";
  if (!op.getSink().empty() && op.getNormaliser() != Normaliser::Softmax)
    return op.emitOpError() << "has a sink, which requires softmax, but normalises by " << name;
  return success();
}

/// Verifies that the op has the region, the normaliser and the attributes that the statistic requires.
template <typename Op> static LogicalResult verifyNeeds(Op op, Statistic statistic) {
  const StatisticInfo &info = infoOf(statistic);
  if (info.hasValues && op.getValue().empty())
    return op.emitOpError("yields a value but has no value region");
  if (!hasStatistic(op.getNormaliser(), statistic))
    return op.emitOpError() << "yields " << info.word << " but normalises by "
                            << stringifyNormaliser(op.getNormaliser()) << ": " << info.whyNot;
  if (info.hasTop && !(op.getTop() && *op.getTop() > 0))
    return op.emitOpError() << "yields " << info.word << " without the number of keys, expected for example top = 4";
  if (!info.isSummed)
    return success();
  auto summed = op.getSummed();
  bool isWhole = summed && !summed->empty() && llvm::is_sorted(*summed) &&
                 std::adjacent_find(summed->begin(), summed->end()) == summed->end() && summed->front() >= 0 &&
                 summed->back() < op.getNumOuter();
  if (!isWhole)
    return op.emitOpError() << "yields " << info.word
                            << " without the outer dimensions that it sums over, expected some of its "
                            << op.getNumOuter() << " in ascending order: summed = array<i64: 0>";
  return success();
}

/// Verifies that `yields` names known statistics, each once and with its requirements, as many as `tensors`.
template <typename Op> static LogicalResult verifyStatistics(Op op, StringRef role, ValueRange tensors) {
  std::string known = "one of";
  for (const StatisticInfo &info : statisticInfos)
    known += std::string(" ") + info.word;
  if (op.getYields().empty())
    return op.emitOpError("yields nothing, expected ") << known;
  if (op.getYields().size() != tensors.size())
    return op.emitOpError() << "yields " << op.getYields().size() << " statistics but has " << tensors.size() << " "
                            << role << "s";
  SmallVector<Attribute> seen;
  for (Attribute attribute : op.getYields()) {
    auto name = dyn_cast<StringAttr>(attribute);
    auto statistic = name ? statisticNamed(name.getValue()) : std::nullopt;
    if (!statistic)
      return op.emitOpError() << "yields unknown statistic " << attribute << ", expected " << known;
    if (llvm::is_contained(seen, attribute))
      return op.emitOpError() << "yields " << name.getValue() << " twice";
    seen.push_back(attribute);
    if (failed(verifyNeeds(op, *statistic)))
      return failure();
  }
  return success();
}

/// Verifies the parts that attend and its gradient share; `tensors` have the shapes of the results of attend.
template <typename Op> static LogicalResult verifyAttention(Op op, StringRef role, ValueRange tensors) {
  if (op.getNumKeys() == 0)
    return op.emitOpError("has no key dimension");
  if (op.getValue().empty() && op.getNumValues() != 0)
    return op.emitOpError() << "has " << op.getNumValues() << " value sizes but no value region";
  if (failed(verifyNormaliser(op)) || failed(verifyStatistics(op, role, tensors)) || failed(verifyValueLayout(op)) ||
      failed(verifyFormulas(op)))
    return failure();
  for (auto [statistic, tensor] : llvm::zip_equal(op.getStatistics(), tensors))
    if (failed(verifyStatistic(op, role, statistic, tensor)))
      return failure();
  return success();
}

LogicalResult AttendOp::verifyRegions() { return verifyAttention(*this, "result", getResults()); }

LogicalResult AttendGradientOp::verifyRegions() {
  if (failed(verifyAttention(*this, "cotangent", getCotangents())))
    return failure();
  if (getOf().getTypes() != getResultTypes())
    return emitOpError("has results whose types differ from those of the tensors in `of`");
  for (Type type : getResultTypes())
    if (!cast<RankedTensorType>(type).getElementType().isF32())
      return emitOpError() << "is the gradient of " << type << ", expected elements of f32";
  for (Statistic statistic : getStatistics())
    if (infoOf(statistic).passesTo == PassesTo::Nothing)
      return emitOpError() << "has a cotangent of " << textOf(statistic) << ", which has no derivative";
  SmallVector<Statistic> saved = getSavedStatistics();
  if (getSaved().size() > saved.size())
    return emitOpError() << "has " << getSaved().size() << " saved tensors, expected at most " << saved.size()
                         << ": the value, lse for softmax, top for a cotangent of top_weights";
  for (auto [statistic, tensor] : llvm::zip(saved, getSaved()))
    if (failed(verifyStatistic(*this, "saved", statistic, tensor)))
      return failure();
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  if (getSizes().empty())
    return emitOpError("reduces over no index");
  if (getBody().getNumArguments() != getSizes().size())
    return emitOpError() << "has " << getBody().getNumArguments() << " indices but " << getSizes().size() << " sizes";
  Type type = getResult().getType();
  if (!type.isF32() && !type.isInteger(32))
    return emitOpError() << "has result type " << type << ", expected f32 or i32";
  for (Type argument : getBody().getArgumentTypes())
    if (!argument.isIndex())
      return emitOpError() << "has an index of type " << argument;
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("does not end in attn.yield");
  if (yield.getValue().getType() != type)
    return emitOpError() << "yields " << yield.getValue().getType() << " but its result is " << type;
  return success();
}

LogicalResult ScatterAddOp::verifyRegions() {
  auto type = cast<RankedTensorType>(getInit().getType());
  if (getBody().getNumArguments() != getSizes().size())
    return emitOpError() << "has " << getBody().getNumArguments() << " indices but " << getSizes().size() << " sizes";
  if (getResult().getType() != type)
    return emitOpError() << "has result type " << getResult().getType() << " but adds to " << type;
  auto term = dyn_cast<TermOp>(getBody().front().getTerminator());
  if (!term)
    return emitOpError("does not end in attn.term");
  if (term.getValue().getType() != type.getElementType())
    return emitOpError() << "adds " << term.getValue().getType() << " to " << type;
  if (static_cast<int64_t>(term.getSubscripts().size()) != type.getRank())
    return emitOpError() << "has " << term.getSubscripts().size() << " subscripts for " << type;
  return success();
}

LogicalResult GradientOp::verify() {
  auto variable = getVariable().getDefiningOp<VariableOp>();
  if (!variable || variable->getBlock() != (*this)->getBlock())
    return emitOpError("is taken of a tensor that is not the result of an attn.variable in its block");
  return success();
}
