// What the verifiers of attn say, and when. They run after the ops inside the regions have been verified.
#include "dialects/Attn/Attn.h"
#include "dialects/Attn/EnumNames.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::attn;

namespace {
/// One region of attend: what it takes and what it yields.
struct Formula {
  StringRef name;
  Region &region;
  Type leading; ///< of an argument before the indices, or null
  int64_t indices;
  Type yielded;
  StringRef arguments; ///< as a person names them
};
} // namespace

static bool isFormulaOp(Operation *op) {
  return isa<tensor::ExtractOp, tensor::DimOp, affine::AffineApplyOp, ReduceOp, YieldOp>(op) ||
         isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
}

static LogicalResult verifyFormula(AttendOp op, const Formula &formula) {
  if (formula.region.empty())
    return success();
  SmallVector<Type> expected;
  if (formula.leading)
    expected.push_back(formula.leading);
  expected.append(formula.indices, IndexType::get(op.getContext()));
  if (formula.region.getArgumentTypes() != TypeRange(expected)) {
    InFlightDiagnostic diagnostic = op.emitOpError() << formula.name << " region takes (";
    llvm::interleaveComma(formula.region.getArgumentTypes(), diagnostic);
    diagnostic << "), expected (";
    llvm::interleaveComma(expected, diagnostic);
    return diagnostic << "): " << formula.arguments;
  }
  WalkResult found = formula.region.walk([&](Operation *inner) {
    if (isFormulaOp(inner))
      return WalkResult::advance();
    inner->emitOpError() << "is not allowed in the " << formula.name
                         << " region of attn.attend, which holds arith, math, tensor.extract, tensor.dim, "
                            "affine.apply and attn.reduce";
    return WalkResult::interrupt();
  });
  if (found.wasInterrupted())
    return failure();
  auto yield = dyn_cast<YieldOp>(formula.region.front().getTerminator());
  if (!yield)
    return op.emitOpError() << formula.name << " region does not end in attn.yield";
  if (yield.getValue().getType() != formula.yielded)
    return op.emitOpError() << formula.name << " region yields " << yield.getValue().getType() << ", expected "
                            << formula.yielded;
  return success();
}

static LogicalResult verifyFormulas(AttendOp op) {
  Type f32 = Float32Type::get(op.getContext()), i1 = IntegerType::get(op.getContext(), 1);
  int64_t pair = op.getNumOuter() + op.getNumKeys();
  const Formula formulas[] = {
      {"score", op.getScore(), {}, pair, f32, "outer indices, then key indices"},
      {"mask", op.getMask(), {}, pair, i1, "outer indices, then key indices"},
      {"weight", op.getWeight(), f32, pair, f32, "the weight, then outer and key indices"},
      {"value", op.getValue(), {}, pair + op.getNumValues(), f32, "outer, key and value indices"},
  };
  for (const Formula &formula : formulas)
    if (failed(verifyFormula(op, formula)))
      return failure();
  return success();
}

/// The sizes that say how large each dimension of a statistic is, in the order of the result.
static SmallVector<Value> sizesOf(AttendOp op, Statistic statistic) {
  SmallVector<Value> sizes(op.getOuterSizes());
  if (statistic == Statistic::Weights)
    llvm::append_range(sizes, op.getKeySizes());
  if (statistic != Statistic::Value)
    return sizes;
  llvm::append_range(sizes, op.getValueSizes());
  if (auto layout = op.getValueLayout())
    return llvm::map_to_vector(*layout, [&](int64_t dimension) { return sizes[dimension]; });
  return sizes;
}

static LogicalResult verifyResult(AttendOp op, Statistic statistic, Value result) {
  auto type = cast<RankedTensorType>(result.getType());
  StringRef name = stringifyStatistic(statistic);
  if (!type.getElementType().isF32())
    return op.emitOpError() << "result " << name << " is " << type << ", expected elements of f32";
  SmallVector<Value> sizes = sizesOf(op, statistic);
  if (type.getRank() != static_cast<int64_t>(sizes.size()))
    return op.emitOpError() << "result " << name << " is " << type << ", expected rank " << sizes.size();
  for (auto [dimension, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    if (constant && !type.isDynamicDim(dimension) && type.getDimSize(dimension) != *constant)
      return op.emitOpError() << "result " << name << " is " << type << ", but the size of dimension " << dimension
                              << " is " << *constant;
  }
  return success();
}

static LogicalResult verifyValueLayout(AttendOp op) {
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

/// Whether the rows of a normaliser have a log of a sum of exponentials.
static bool hasLse(Normaliser normaliser) {
  static constexpr bool has[] = {true, false};
  static_assert(std::size(has) == getMaxEnumValForNormaliser() + 1, "a normaliser is missing");
  return has[static_cast<int>(normaliser)];
}

/// The statistics by name, each at most once, each with what it needs.
static LogicalResult verifyStatistics(AttendOp op) {
  std::string statistics = namesUpTo<Statistic>(getMaxEnumValForStatistic());
  if (op.getYields().empty())
    return op.emitOpError("yields nothing, expected ") << statistics;
  if (op.getYields().size() != op.getNumResults())
    return op.emitOpError() << "yields " << op.getYields().size() << " statistics but has " << op.getNumResults()
                            << " results";
  SmallVector<Attribute> seen;
  for (Attribute attribute : op.getYields()) {
    auto name = dyn_cast<StringAttr>(attribute);
    auto statistic = name ? symbolizeStatistic(name.getValue()) : std::nullopt;
    if (!statistic)
      return op.emitOpError() << "yields unknown statistic " << attribute << ", expected " << statistics;
    if (llvm::is_contained(seen, attribute))
      return op.emitOpError() << "yields " << name.getValue() << " twice";
    seen.push_back(attribute);
    if (*statistic == Statistic::Value && op.getValue().empty())
      return op.emitOpError("yields a value but has no value region");
    if (*statistic == Statistic::Lse && !hasLse(op.getNormaliser()))
      return op.emitOpError() << "yields lse, which softmax alone has, but normalises by "
                              << stringifyNormaliser(op.getNormaliser());
  }
  return success();
}

LogicalResult AttendOp::verifyRegions() {
  if (getNumKeys() == 0)
    return emitOpError("has no key dimension");
  if (getValue().empty() && getNumValues() != 0)
    return emitOpError() << "has " << getNumValues() << " value sizes but no value region";
  if (failed(verifyStatistics(*this)) || failed(verifyValueLayout(*this)) || failed(verifyFormulas(*this)))
    return failure();
  for (auto [statistic, result] : llvm::zip_equal(getStatistics(), getResults()))
    if (failed(verifyResult(*this, statistic, result)))
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
    return emitOpError() << "results in " << type << ", expected f32 or i32";
  for (Type argument : getBody().getArgumentTypes())
    if (!argument.isIndex())
      return emitOpError() << "has an index of type " << argument;
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("does not end in attn.yield");
  if (yield.getValue().getType() != type)
    return emitOpError() << "yields " << yield.getValue().getType() << " but results in " << type;
  return success();
}
