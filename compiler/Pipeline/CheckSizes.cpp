#include "compiler/Pipeline/CheckModule.h"
#include "compiler/Sizes/SizeAnalysis.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attnc {
namespace {

/// Inclusive bounds of an index.
struct Interval {
  std::vector<SizeExpr> lows;  ///< the minimum of these is the lower bound
  std::vector<SizeExpr> highs; ///< the maximum of these is the upper bound
};

/// The distinct results of f on all pairs.
template <typename Function>
std::vector<SizeExpr> ofPairs(const std::vector<SizeExpr> &a, const std::vector<SizeExpr> &b, Function f) {
  std::vector<SizeExpr> results;
  for (const SizeExpr &x : a)
    for (const SizeExpr &y : b)
      if (SizeExpr made = f(x, y); !llvm::is_contained(results, made))
        results.push_back(made);
  return results;
}

Interval exactly(const SizeExpr &size) { return {{size}, {size}}; }

Interval sumOf(const Interval &a, const Interval &b) {
  auto plus = [](const SizeExpr &x, const SizeExpr &y) { return x + y; };
  return {ofPairs(a.lows, b.lows, plus), ofPairs(a.highs, b.highs, plus)};
}

Interval timesConstant(const Interval &a, int64_t factor) {
  auto times = [](const SizeExpr &x, const SizeExpr &y) { return x * y; };
  std::vector<SizeExpr> by = {SizeExpr(factor)}, lows = ofPairs(a.lows, by, times), highs = ofPairs(a.highs, by, times);
  return factor >= 0 ? Interval{lows, highs} : Interval{highs, lows};
}

std::vector<SizeExpr> join(std::vector<SizeExpr> a, const std::vector<SizeExpr> &b) {
  llvm::append_range(a, b);
  return a;
}

/// Whether the substitution of a sum for each symbol, which doubles the products, keeps the size short enough.
bool isShortWith(const SizeExpr &size) {
  constexpr unsigned mostSymbols = 10;
  auto products = size.products();
  return products ? llvm::all_of(*products, [](const auto &each) { return each.symbols.size() <= mostSymbols; })
                  : size.length() <= mostSymbols * mostSymbols;
}

/// Proofs that sizes and indices are in range for all dimensions of an entry point within their bounds.
class SizeProofs {
public:
  SizeProofs(func::FuncOp entry, SizeAnalysis &sizes) : sizes(sizes) {
    for (auto dimension : entry->getAttrOfType<ArrayAttr>(model::dimensionsAttrName).getAsRange<model::DimensionAttr>())
      bounds.push_back({dimension.getMin(), dimension.getMax()});
  }

  /// Whether `size` is proved to be at least 0 at `op` for all dimensions within their bounds. The proof substitutes
  /// each dimension by its minimum plus a nonnegative symbol, or by its maximum minus one, and is incomplete.
  bool isNotNegative(const SizeExpr &size, Operation *op) {
    if (size.isAtLeast(0))
      return true;
    if (!isShortWith(size))
      return false;
    std::vector<Bounds> inside = boundsAt(op);
    constexpr unsigned mostChoices = 8;
    SmallVector<unsigned> bounded;
    std::vector<SizeExpr> values;
    for (auto [number, bound] : llvm::enumerate(inside)) {
      values.push_back(SizeExpr(bound.least) + SizeExpr::symbol(number));
      if (bound.most >= 0 && size.mentions(number) && bounded.size() < mostChoices)
        bounded.push_back(number);
    }
    for (unsigned choice = 0; choice < 1u << bounded.size(); ++choice) {
      for (auto [bit, number] : llvm::enumerate(bounded))
        values[number] = choice >> bit & 1 ? SizeExpr(inside[number].most) - SizeExpr::symbol(number)
                                           : SizeExpr(inside[number].least) + SizeExpr::symbol(number);
      if (size.substitute(values).isAtLeast(0))
        return true;
    }
    return false;
  }

  bool areNotNegative(const std::vector<SizeExpr> &lows, Operation *op) {
    return llvm::all_of(lows, [&](const SizeExpr &low) { return isNotNegative(low, op); });
  }
  bool areAtMost(const std::vector<SizeExpr> &highs, const SizeExpr &most, Operation *op) {
    return llvm::all_of(highs, [&](const SizeExpr &high) { return isNotNegative(most - high, op); });
  }
  bool areSubscripts(const Interval &interval, const SizeExpr &count, Operation *op) {
    return areNotNegative(interval.lows, op) && areAtMost(interval.highs, count - SizeExpr(1), op);
  }

private:
  struct Bounds {
    int64_t least, most; ///< `most` is -1 if there is no upper bound
  };

  /// Bounds of dimensions at `op`. Inside a loop with upper bound n, n is greater than the lower bound, as the loop has
  /// an iteration.
  std::vector<Bounds> boundsAt(Operation *op) {
    std::vector<Bounds> inside = bounds;
    for (auto loop = op->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>()) {
      std::optional<int64_t> from = getConstantIntValue(loop.getLowerBound());
      std::optional<SizeExpr> to = sizes.index(loop.getUpperBound());
      for (auto [number, bound] : llvm::enumerate(inside))
        if (from && to && *to == SizeExpr::symbol(number) && *from >= bound.least && *from < INT64_MAX)
          bound.least = *from + 1;
    }
    return inside;
  }

  SizeAnalysis &sizes;
  std::vector<Bounds> bounds; ///< for each dimension
};

std::optional<Interval> intervalOf(AffineExpr subscript, ArrayRef<std::optional<SizeExpr>> extents) {
  if (auto constant = dyn_cast<AffineConstantExpr>(subscript))
    return exactly(SizeExpr(constant.getValue()));
  if (auto loop = dyn_cast<AffineDimExpr>(subscript)) {
    const std::optional<SizeExpr> &extent = extents[loop.getPosition()];
    return extent ? std::optional(Interval{{SizeExpr(0)}, {*extent - SizeExpr(1)}}) : std::nullopt;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(subscript);
  std::optional<Interval> a = binary ? intervalOf(binary.getLHS(), extents) : std::nullopt;
  if (!a)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Add) {
    std::optional<Interval> b = intervalOf(binary.getRHS(), extents);
    return b ? std::optional(sumOf(*a, *b)) : std::nullopt;
  }
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!factor)
    return std::nullopt;
  int64_t by = factor.getValue();
  if (binary.getKind() == AffineExprKind::Mul)
    return timesConstant(*a, by);
  if (binary.getKind() == AffineExprKind::Mod)
    return Interval{{SizeExpr(0)}, {SizeExpr(by - 1)}};
  // A quotient is at most the dividend.
  if (binary.getKind() == AffineExprKind::FloorDiv && a->lows[0] == SizeExpr(0))
    return Interval{a->lows, {a->highs[0].isConstant() ? a->highs[0].floorDiv(by) : a->highs[0]}};
  return std::nullopt;
}

bool isShort(const Interval &interval) {
  constexpr size_t most = 16;
  auto isTooLong = [](const SizeExpr &bound) { return bound.isTooLong(); };
  return interval.lows.size() <= most && interval.highs.size() <= most && llvm::none_of(interval.lows, isTooLong) &&
         llvm::none_of(interval.highs, isTooLong);
}

/// Intervals of index values, over the dimensions of an entry point.
class IndexIntervals {
public:
  IndexIntervals(SizeAnalysis &sizes, SizeProofs &proofs) : sizes(sizes), proofs(proofs) {}

  std::optional<Interval> of(OpFoldResult index) {
    if (std::optional<int64_t> constant = getConstantIntValue(index))
      return exactly(SizeExpr(*constant));
    return of(cast<Value>(index));
  }

  std::optional<Interval> of(Value index) {
    if (auto found = intervals.find(index); found != intervals.end())
      return found->second;
    std::optional<Interval> interval = compute(index);
    if (interval && !isShort(*interval))
      interval = std::nullopt;
    return intervals[index] = interval;
  }

private:
  std::optional<Interval> compute(Value index) {
    if (std::optional<SizeExpr> known = sizes.index(index))
      return exactly(*known);
    if (auto argument = dyn_cast<BlockArgument>(index))
      return ofCounter(argument);
    Operation *op = index.getDefiningOp();
    if (op->getNumOperands() != 2 || !op->getOperand(0).getType().isIndex())
      return std::nullopt;
    std::optional<Interval> a = of(op->getOperand(0)), b = of(op->getOperand(1));
    return a && b ? ofArithmetic(op, *a, *b) : std::nullopt;
  }

  std::optional<Interval> ofArithmetic(Operation *op, const Interval &a, const Interval &b) {
    auto times = [](const SizeExpr &x, const SizeExpr &y) { return x * y; };
    using Result = std::optional<Interval>;
    return TypeSwitch<Operation *, Result>(op)
        .Case([&](arith::AddIOp) -> Result { return sumOf(a, b); })
        .Case([&](arith::SubIOp) -> Result { return sumOf(a, timesConstant(b, -1)); })
        .Case([&](arith::MulIOp) -> Result {
          if (!proofs.areNotNegative(a.lows, op) || !proofs.areNotNegative(b.lows, op))
            return std::nullopt;
          return {{ofPairs(a.lows, b.lows, times), ofPairs(a.highs, b.highs, times)}};
        })
        .Case([&](arith::MaxSIOp) -> Result {
          return {{ofPairs(a.lows, b.lows, SizeExpr::max), join(a.highs, b.highs)}};
        })
        .Case([&](arith::MinSIOp) -> Result {
          return {{join(a.lows, b.lows), ofPairs(a.highs, b.highs, SizeExpr::min)}};
        })
        .Default([](Operation *) { return std::nullopt; });
  }

  /// Interval of an induction variable, for loops with at least one iteration.
  std::optional<Interval> ofCounter(BlockArgument argument) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || loop.getInductionVar() != argument)
      return std::nullopt;
    std::optional<Interval> from = of(loop.getLowerBound()), to = of(loop.getUpperBound());
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!from || !to || !step || *step <= 0 || loop.getUnsignedCmp())
      return std::nullopt;
    for (SizeExpr &high : to->highs)
      high = high - SizeExpr(1);
    return Interval{from->lows, to->highs};
  }

  SizeAnalysis &sizes;
  SizeProofs &proofs;
  llvm::DenseMap<Value, std::optional<Interval>> intervals;
};

/// Faults of tensors whose sizes have to be equal.
class SizeAgreement {
public:
  explicit SizeAgreement(SizeAnalysis &sizes) : sizes(sizes) {}

  std::string faultOfResults(func::ReturnOp end) {
    for (auto [number, value] : llvm::enumerate(end.getOperands())) {
      auto shape = end->getParentOfType<func::FuncOp>().getResultAttrOfType<ArrayAttr>(number, model::shapeAttrName);
      for (int64_t dimension = 0; dimension < cast<RankedTensorType>(value.getType()).getRank(); ++dimension) {
        std::optional<SizeExpr> declared = declaredSize(shape, dimension, sizes.names);
        std::optional<SizeExpr> size = sizes.size(value, dimension);
        if (declared && size && !(*declared == *size))
          return " returns a tensor of size " + size->text(sizes.names) + " along dimension " +
                 std::to_string(dimension) + ", but model.shape of result " + std::to_string(number) + " says " +
                 declared->text(sizes.names) + "; expected the same size";
      }
    }
    return "";
  }

  /// The error unless `tensor` has the sizes of `like` without its first `behind` dimensions.
  std::string faultOfEqual(Value tensor, Value like, int64_t behind = 0) {
    for (int64_t dimension = 0; dimension < cast<RankedTensorType>(tensor.getType()).getRank(); ++dimension) {
      std::string fault = faultOfPair(sizes.size(tensor, dimension), sizes.size(like, dimension + behind), dimension);
      if (!fault.empty())
        return fault;
    }
    return "";
  }

  std::string faultOfExpand(tensor::ExpandShapeOp expand) {
    for (auto [dimension, group] : llvm::enumerate(expand.getReassociationIndices())) {
      std::optional<SizeExpr> product = sizes.product(expand.getResult(), group);
      std::optional<SizeExpr> size = sizes.size(expand.getSrc(), int64_t(dimension));
      if (std::string fault = faultOfPair(size, product, int64_t(dimension)); !fault.empty())
        return fault;
    }
    return "";
  }

  std::string faultOfConcat(tensor::ConcatOp concat) {
    for (Value input : concat.getInputs())
      for (int64_t dimension = 0; dimension < concat.getResultType().getRank(); ++dimension)
        if (dimension != int64_t(concat.getDim())) {
          std::optional<SizeExpr> first = sizes.size(concat.getInputs().front(), dimension);
          std::string fault = faultOfPair(sizes.size(input, dimension), first, dimension);
          if (!fault.empty())
            return fault;
        }
    return "";
  }

  /// The error unless each loop-carried tensor has the same sizes in all iterations.
  std::string faultOfTurns(scf::ForOp loop) {
    for (auto [yielded, init] : llvm::zip_equal(loop.getYieldedValues(), loop.getInits()))
      if (isa<RankedTensorType>(yielded.getType()))
        if (std::string fault = faultOfEqual(yielded, init); !fault.empty())
          return fault;
    return "";
  }

private:
  std::string faultOfPair(const std::optional<SizeExpr> &found, const std::optional<SizeExpr> &expected,
                          int64_t dimension) {
    if (found && expected && *found == *expected)
      return "";
    auto written = [&](const std::optional<SizeExpr> &size) {
      return size ? size->text(sizes.names) : std::string("unknown");
    };
    return " takes a tensor of size " + written(found) + " along dimension " + std::to_string(dimension) +
           " for one of size " + written(expected) + "; expected the same size";
  }

  SizeAnalysis &sizes;
};

class SizeCheck {
public:
  SizeCheck(func::FuncOp entry, SizeAnalysis &sizes, SizeProofs &proofs, IndexIntervals &intervals)
      : entry(entry), sizes(sizes), agreement(sizes), proofs(proofs), intervals(intervals) {}

  std::optional<ModuleFault> run() {
    return firstFault(entry, [this](Operation *op) { return faultOf(op); });
  }

private:
  std::string faultOf(Operation *op) {
    for (Value result : op->getResults())
      if (std::string fault = faultOfTensor(result); !fault.empty())
        return fault;
    return TypeSwitch<Operation *, std::string>(op)
        .Case([&](func::ReturnOp end) {
          return end->getParentOp() == entry ? agreement.faultOfResults(end) : std::string();
        })
        .Case([&](linalg::LinalgOp linalg) { return faultOfLoops(linalg); })
        .Case([&](tensor::ExtractSliceOp slice) { return faultOfSlice(slice); })
        .Case([&](tensor::CastOp cast) { return agreement.faultOfEqual(cast.getSource(), cast.getDest()); })
        .Case([&](tensor::ExpandShapeOp expand) { return agreement.faultOfExpand(expand); })
        .Case([&](tensor::ConcatOp concat) { return agreement.faultOfConcat(concat); })
        .Case([&](scf::ForOp loop) { return agreement.faultOfTurns(loop); })
        .Case<model::GetOp, model::SetOp>([&](auto access) { return faultOfEntries(access); })
        .Case([&](model::WithElementOp list) {
          std::string fault = faultOfPlace(list, list.getPlace(), sizes.size(list.getList(), 0));
          return fault.empty() ? agreement.faultOfEqual(list.getElement(), list.getList(), /*behind=*/1) : fault;
        })
        .Case<model::ElementOp>(
            [&](auto list) { return faultOfPlace(list, list.getPlace(), sizes.size(list.getList(), 0)); })
        .Case([&](model::AppendOp append) {
          return append.getPlace() ? faultOfPlace(append, append.getPlace(), sizes.size(append.getCache(), 0))
                                   : std::string();
        })
        .Default([&](Operation *other) {
          return other->getParentOp() == entry || isa<scf::ForOp>(other->getParentOp()) ? faultOfIndex(other)
                                                                                        : std::string();
        });
  }

  std::string text(const SizeExpr &size) const { return size.text(sizes.names); }

  std::string faultOfTensor(Value tensor) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    for (int64_t dimension = 0; type && dimension < type.getRank(); ++dimension) {
      std::optional<SizeExpr> size = sizes.size(tensor, dimension);
      if (!size)
        return " has a size along dimension " + std::to_string(dimension) +
               " that is too long, or no expression of dimensions and numbers; expected sums, products, quotients, "
               "minima and maxima of them";
      Operation *at = tensor.getDefiningOp();
      if (!proofs.isNotNegative(*size, at))
        return " has size " + text(*size) + " along dimension " + std::to_string(dimension) +
               ", which may be below 0; expected at least 0 for all sizes that the dimensions may have";
    }
    return "";
  }

  /// The error unless all operand dimensions that one loop indexes have the same size.
  std::string faultOfLoops(linalg::LinalgOp linalg) {
    std::vector<std::optional<SizeExpr>> extents(linalg.getNumLoops());
    for (OpOperand &operand : linalg->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      AffineMap map = linalg.getMatchingIndexingMap(&operand);
      for (int64_t dimension = 0; type && dimension < type.getRank(); ++dimension) {
        auto loop = dyn_cast<AffineDimExpr>(map.getResult(dimension));
        std::optional<SizeExpr> size = sizes.size(operand.get(), dimension);
        if (!loop || !size)
          continue;
        std::optional<SizeExpr> &extent = extents[loop.getPosition()];
        if (extent && !(*extent == *size))
          return " reads or writes " + text(*extent) + " elements along a loop, but operand " +
                 std::to_string(operand.getOperandNumber()) + " has " + text(*size) + " there; expected the same size";
        extent = size;
      }
    }
    return faultOfSums(linalg, extents);
  }

  /// The error unless subscripts that are sums of loop indices, such as those of windows, are in range.
  std::string faultOfSums(linalg::LinalgOp linalg, ArrayRef<std::optional<SizeExpr>> extents) {
    for (OpOperand &operand : linalg->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      AffineMap map = linalg.getMatchingIndexingMap(&operand);
      for (int64_t dimension = 0; type && dimension < type.getRank(); ++dimension) {
        AffineExpr subscript = map.getResult(dimension);
        std::optional<SizeExpr> size = sizes.size(operand.get(), dimension);
        if (isa<AffineDimExpr>(subscript))
          continue;
        std::optional<Interval> interval = intervalOf(subscript, extents);
        if (!interval || !size || !proofs.areSubscripts(*interval, *size, linalg))
          return " reads or writes operand " + std::to_string(operand.getOperandNumber()) + " of " +
                 (size ? text(*size) : std::string("unknown")) + " elements along dimension " +
                 std::to_string(dimension) + " at subscripts that are not known to be in range";
      }
    }
    return "";
  }

  std::string faultOfSlice(tensor::ExtractSliceOp slice) {
    for (unsigned dimension = 0; dimension < slice.getMixedOffsets().size(); ++dimension) {
      std::optional<int64_t> stride = getConstantIntValue(slice.getMixedStrides()[dimension]);
      std::optional<Interval> offset = intervals.of(slice.getMixedOffsets()[dimension]);
      std::optional<Interval> size = intervals.of(slice.getMixedSizes()[dimension]);
      std::optional<SizeExpr> source = sizes.size(slice.getSource(), dimension);
      // The last element is at offset + (size - 1) stride.
      bool isInside = stride && *stride > 0 && offset && size && source && proofs.areNotNegative(offset->lows, slice) &&
                      proofs.areNotNegative(size->lows, slice);
      if (isInside) {
        auto end = [&](const SizeExpr &begin, const SizeExpr &count) { return begin + count * SizeExpr(*stride); };
        isInside = proofs.areAtMost(ofPairs(offset->highs, size->highs, end), *source + SizeExpr(*stride - 1), slice);
      }
      if (!isInside)
        return " takes a slice along dimension " + std::to_string(dimension) + " of " +
               (source ? text(*source) : std::string("unknown")) +
               " elements that is not known to be in range; expected offset, size and stride whose bounds follow " +
               "from dimensions, numbers and the bounds of loops";
    }
    return "";
  }

  template <typename Op> std::string faultOfEntries(Op access) {
    auto parameter = SymbolTable::lookupNearestSymbolFrom<model::ParameterOp>(access, access.getParameterAttr());
    for (auto [index, count] : llvm::zip_equal(access.getIndices(), parameter.getCounts()))
      if (std::string fault = faultOfPlace(access, index, SizeExpr(count)); !fault.empty())
        return fault;
    return "";
  }

  std::string faultOfPlace(Operation *op, Value place, const std::optional<SizeExpr> &count) {
    std::optional<Interval> interval = intervals.of(place);
    if (interval && count && proofs.areSubscripts(*interval, *count, op))
      return "";
    std::string found = interval ? "from " + text(interval->lows.front()) + " to " + text(interval->highs.front())
                                 : std::string("unknown");
    return " names an element of a list of " + (count ? text(*count) : std::string("an unknown number")) +
           " by an index that is " + found + "; expected one that is known to be in range";
  }

  /// The error unless the operands of an index computation are valid; sizes are computed on nonnegative numbers.
  std::string faultOfIndex(Operation *op) {
    bool divides = isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
    bool isLeast = isa<arith::MinSIOp, arith::MinUIOp>(op), isGreatest = isa<arith::MaxSIOp, arith::MaxUIOp>(op);
    if ((!divides && !isLeast && !isGreatest) || !op->getResult(0).getType().isIndex())
      return "";
    auto mayBeBelow = [&](Value operand) {
      std::optional<Interval> interval = intervals.of(operand);
      return !interval || !proofs.areNotNegative(interval->lows, op);
    };
    Value first = op->getOperand(0), second = op->getOperand(1);
    bool isFault = isGreatest ? mayBeBelow(first) && mayBeBelow(second)
                   : isLeast  ? mayBeBelow(first) || mayBeBelow(second)
                              : mayBeBelow(first);
    return isFault ? " has an index that is not known to be at least 0; expected one that is" : "";
  }

  func::FuncOp entry;
  SizeAnalysis &sizes;
  SizeAgreement agreement;
  SizeProofs &proofs;
  IndexIntervals &intervals;
};

} // namespace

std::optional<ModuleFault> faultOfSizes(func::FuncOp entry) {
  // Undeclared sizes are reported by checkInterfaces() (Compile.cpp).
  ScopedDiagnosticHandler silence(entry.getContext(), [](Diagnostic &) {});
  FailureOr<SizeAnalysis> sizes = SizeAnalysis::ofEntry(entry);
  if (failed(sizes))
    return std::nullopt;
  SizeProofs proofs(entry, *sizes);
  IndexIntervals intervals(*sizes, proofs);
  return SizeCheck(entry, *sizes, proofs, intervals).run();
}

} // namespace attnc
