#include "compiler/Codegen/Kernels/Attend/AttendProblem.h"
#include "compiler/Analysis/DataSubscripts.h"
#include "compiler/Analysis/OpCost.h"
#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

//===-------------------------------------------- which indices -----------------------------------------------===//

IndexUses::IndexUses(attn::AttendOp op) : op(op) {
  unsigned outers = op.getNumOuter(), keys = op.getNumKeys();
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    auto arguments = region.getArguments();
    unsigned first = 0;
    if (&region == &op.getWeight())
      known[arguments[first++]] = weight;
    for (unsigned i = 0; first + i < arguments.size(); ++i)
      known[arguments[first + i]] = i < outers ? outer(i) : i < outers + keys ? key(i - outers) : values;
  }
}

uint64_t IndexUses::ofRegion(Region &region) {
  uint64_t uses = 0;
  region.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!region.isAncestor(operand.getParentRegion()))
        uses |= of(operand);
  });
  return uses;
}

uint64_t IndexUses::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  uint64_t uses = 0;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (isa<attn::ReduceOp>(argument.getOwner()->getParentOp()))
      uses = features;
  } else {
    Operation *definer = value.getDefiningOp();
    if (op->isProperAncestor(definer)) {
      for (Value operand : definer->getOperands())
        uses |= of(operand);
      for (Region &region : definer->getRegions())
        uses |= ofRegion(region);
    }
  }
  return known[value] = uses;
}

static bool dependsOn(Value value, BlockArgument index) {
  if (value == index)
    return true;
  Operation *definer = value.getDefiningOp();
  return definer && llvm::any_of(definer->getOperands(), [&](Value operand) { return dependsOn(operand, index); });
}

static bool stepsBy(Value value, BlockArgument index);

/// Whether the expression is `index` plus an invariant.
static bool stepsBy(AffineExpr expression, ValueRange operands, unsigned numDims, BlockArgument index) {
  auto dependent = [&](AffineExpr part) {
    bool found = false;
    part.walk([&](AffineExpr leaf) {
      if (auto dim = dyn_cast<AffineDimExpr>(leaf))
        found |= dependsOn(operands[dim.getPosition()], index);
      if (auto symbol = dyn_cast<AffineSymbolExpr>(leaf))
        found |= dependsOn(operands[numDims + symbol.getPosition()], index);
    });
    return found;
  };
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return stepsBy(operands[dim.getPosition()], index);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return stepsBy(operands[numDims + symbol.getPosition()], index);
  auto sum = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return false;
  bool left = dependent(sum.getLHS()), right = dependent(sum.getRHS());
  return left != right && stepsBy(left ? sum.getLHS() : sum.getRHS(), operands, numDims, index);
}

static bool stepsBy(Value value, BlockArgument index) {
  if (value == index)
    return true;
  Operation *definer = value.getDefiningOp();
  if (!definer)
    return false;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(definer))
    return stepsBy(apply.getAffineMap().getResult(0), apply.getMapOperands(), apply.getAffineMap().getNumDims(), index);
  if (!isa<arith::AddIOp, arith::SubIOp>(definer))
    return false;
  bool left = dependsOn(definer->getOperand(0), index), right = dependsOn(definer->getOperand(1), index);
  return left != right && !(right && isa<arith::SubIOp>(definer)) && stepsBy(definer->getOperand(left ? 0 : 1), index);
}

static bool comesFromIndices(Value value) {
  Operation *definer = value.getDefiningOp();
  if (!definer)
    return value.getType().isIndex();
  return !isa<tensor::ExtractOp, arith::SelectOp, attn::ReduceOp>(definer) &&
         llvm::all_of(definer->getOperands(), comesFromIndices);
}

bool IndexUses::isPlacedByIndices(tensor::ExtractOp extract) {
  return llvm::all_of(extract.getIndices(), comesFromIndices);
}

bool IndexUses::isLocated(tensor::ExtractOp extract) {
  return llvm::all_of(llvm::enumerate(extract.getIndices()), [&](auto subscript) {
    return isProved(extract, subscript.index()) || comesFromIndices(subscript.value());
  });
}

bool IndexUses::stepsWith(tensor::ExtractOp extract, BlockArgument index) {
  auto subscripts = extract.getIndices();
  return !subscripts.empty() && isPlacedByIndices(extract) && stepsBy(subscripts.back(), index) &&
         llvm::none_of(subscripts.drop_back(), [&](Value subscript) { return dependsOn(subscript, index); });
}

bool IndexUses::stepsAlong(tensor::ExtractOp extract, BlockArgument index) {
  auto depends = [&](Value subscript) { return dependsOn(subscript, index); };
  auto subscripts = extract.getIndices();
  return isPlacedByIndices(extract) && llvm::count_if(subscripts, depends) == 1 &&
         stepsBy(*llvm::find_if(subscripts, depends), index);
}

int64_t IndexUses::divisorOf(Value value, BlockArgument index) {
  Operation *definer = value.getDefiningOp();
  if (!definer || definer->getNumOperands() == 0 || definer->getOperand(0) != index)
    return 0;
  if (isa<arith::FloorDivSIOp, arith::DivUIOp, arith::DivSIOp>(definer))
    return getConstantIntValue(definer->getOperand(1)).value_or(0);
  if (auto apply = dyn_cast<affine::AffineApplyOp>(definer); apply && apply.getAffineMap().getNumResults() == 1)
    if (auto division = dyn_cast<AffineBinaryOpExpr>(apply.getAffineMap().getResult(0)))
      if (division.getKind() == AffineExprKind::FloorDiv && isa<AffineDimExpr>(division.getLHS()))
        if (auto divisor = dyn_cast<AffineConstantExpr>(division.getRHS()))
          return divisor.getValue();
  return 0;
}

//===-------------------------------------------- the problem -------------------------------------------------===//

bool PairExtract::isBias() const {
  tensor::ExtractOp extract = op;
  auto attend = cast<attn::AttendOp>(extract->getParentOp());
  return extract.getType().isF32() && extract->getParentRegion() == &attend.getScore();
}

uint64_t AttendProblem::rowUses() const {
  uint64_t uses = 0;
  for (unsigned dimension : rowDims)
    uses |= IndexUses::outer(dimension);
  return uses;
}

bool AttendProblem::isSummed(unsigned dimension) const {
  auto summed = const_cast<attn::AttendOp &>(op).getSummed();
  return summed && llvm::is_contained(*summed, int64_t(dimension));
}

int64_t AttendProblem::top() const {
  return yieldsTop() ? static_cast<int64_t>(*const_cast<attn::AttendOp &>(op).getTop()) : 0;
}

AttendProblem AttendProblem::withRowsAsBatches() const {
  AttendProblem result = *this;
  result.batchDims.append(rowDims);
  result.batches = batches * rows;
  result.rowDims.clear();
  result.rows = 1;
  return result;
}

AttendProblem AttendProblem::withRowsFrom(int64_t first) const {
  AttendProblem result = *this;
  result.firstRow = first;
  result.rows = SizeExpr(rows.constant() - first);
  result.outerSizes[rowDims[0]] = result.rows;
  return result;
}

std::optional<unsigned> AttendProblem::resultOf(attn::Statistic statistic) const {
  Value result = const_cast<attn::AttendOp &>(op).getResultFor(statistic);
  if (!result)
    return std::nullopt;
  SmallVector<Value> returned = computedResults(kernel);
  auto *place = llvm::find(returned, result);
  if (place == returned.end())
    return std::nullopt;
  return unsigned(place - returned.begin());
}

/// For each pair: mask, score, weight and normalisation, and a multiply-add for each value.
KernelCost AttendProblem::cost() const {
  attn::AttendOp attend = op;
  KernelSizes sizes(kernel);
  auto flopsOfFormula = [&](Region &region) {
    return flopsOf(region, [&](Value size) { return sizes.valueOf(size); });
  };
  SizeExpr perPair = normaliser->flopsPerScore();
  for (Region *region : {&attend.getScore(), &attend.getMask(), &attend.getWeight()})
    perPair += flopsOfFormula(*region);
  if (hasValue())
    perPair += values * (flopsOfFormula(attend.getValue()) + 2);
  return {batches * rows * keys * perPair, sizes.bytesRead(), sizes.bytesWritten()};
}

namespace {

class Reader {
public:
  Reader(AttendProblem &problem) : problem(problem), op(problem.op), uses(problem.op) {}

  Verdict read() {
    problem.normaliser = Normaliser::of(op);
    if (Verdict sized = readSizes(); !sized)
      return sized;
    for (Region &region : op->getRegions())
      if (Verdict evaluable = canVectorise(region); !region.empty() && !evaluable)
        return evaluable;
    readDimensions();
    readGroup();
    readProducts();
    readPairExtracts();
    readClasses();
    problem.weightIsLinear = problem.hasWeight() && weightDegree(AttendProblem::yielded(op.getWeight())) == Degree::One;
    problem.passes = planPasses(problem);
    return Verdict::yes();
  }

private:
  Verdict readSizes() {
    KernelSizes sizes(problem.kernel);
    auto readAll = [&](ValueRange operands, SmallVector<SizeExpr> &into, SizeExpr &product) {
      for (Value operand : operands) {
        auto size = sizes.tryValueOf(operand);
        if (!size)
          return false;
        into.push_back(*size);
        product = product * *size;
      }
      return true;
    };
    SizeExpr outers = 1;
    if (!readAll(op.getOuterSizes(), problem.outerSizes, outers) ||
        !readAll(op.getKeySizes(), problem.keySizes, problem.keys) ||
        !readAll(op.getValueSizes(), problem.valueSizes, problem.values))
      return Verdict::no("a size of attn.attend is not a function of the kernel's sizes");
    for (attn::ReduceOp reduce : allReductions())
      for (Value size : reduce.getSizes())
        if (!sizes.tryValueOf(size))
          return Verdict::no("the size of a reduction depends on an index");
    return Verdict::yes();
  }

  SmallVector<attn::ReduceOp> allReductions() {
    SmallVector<attn::ReduceOp> reductions;
    op->walk([&](attn::ReduceOp reduce) { reductions.push_back(reduce); });
    return reductions;
  }

  /// The key-side loads: those of the value, and those in a reduction of the score that depend on a key.
  template <typename Visit> void forEachKeySideOperand(Visit visit) {
    op.getValue().walk([&](tensor::ExtractOp extract) {
      for (Value subscript : extract.getIndices())
        visit(subscript);
    });
    op.getScore().walk([&](attn::ReduceOp reduce) {
      reduce.walk([&](tensor::ExtractOp extract) {
        if (uses.of(extract) & IndexUses::anyKey)
          for (Value subscript : extract.getIndices())
            visit(subscript);
      });
    });
  }

  void readDimensions() {
    uint64_t shared = 0;
    forEachKeySideOperand([&](Value subscript) { shared |= uses.of(subscript) & IndexUses::anyOuter; });
    for (unsigned i = 0; i < problem.outerSizes.size(); ++i) {
      bool isBatch = (shared & IndexUses::outer(i)) || (op.getSummed() && !problem.isSummed(i));
      (isBatch ? problem.batchDims : problem.rowDims).push_back(i);
      SizeExpr &product = isBatch ? problem.batches : problem.rows;
      product = product * problem.outerSizes[i];
    }
  }

  /// Whether `value` depends on outer dimension `dimension` only through a division by one constant.
  bool dependsThroughGroup(Value value, unsigned dimension, int64_t &group) {
    if (!(uses.of(value) & IndexUses::outer(dimension)))
      return true;
    Region *region = value.getParentRegion();
    while (region->getParentOp() != op)
      region = region->getParentOp()->getParentRegion();
    unsigned first = region == &op.getWeight() ? 1 : 0;
    if (int64_t divisor = IndexUses::divisorOf(value, region->getArgument(first + dimension))) {
      if (group != 1 && group != divisor)
        return false;
      group = divisor;
      return true;
    }
    if (isa<BlockArgument>(value) || value.getDefiningOp()->getNumRegions() > 0)
      return false;
    return llvm::all_of(value.getDefiningOp()->getOperands(),
                        [&](Value operand) { return dependsThroughGroup(operand, dimension, group); });
  }

  void readGroup() {
    for (unsigned dimension : problem.batchDims) {
      int64_t group = 1;
      bool through = true;
      forEachKeySideOperand(
          [&](Value subscript) { through = through && dependsThroughGroup(subscript, dimension, group); });
      if (!op.getValue().empty())
        through = through && dependsThroughGroup(AttendProblem::yielded(op.getValue()), dimension, group);
      if (through && group > 1) {
        problem.groupDim = dimension;
        problem.group = group;
        return;
      }
    }
  }

  void readProducts() {
    KernelSizes sizes(problem.kernel);
    for (Operation &inner : op.getScore().front()) {
      auto reduce = dyn_cast<attn::ReduceOp>(inner);
      if (!reduce || !(uses.of(reduce) & IndexUses::anyKey))
        continue;
      PairReduction &product = problem.products.emplace_back();
      product.op = reduce;
      product.features = 1;
      for (Value size : reduce.getSizes())
        product.features = product.features * sizes.valueOf(size);
      product.scaled = reduce.getResult();
      reduce.walk([&](tensor::ExtractOp extract) {
        // Loads in a nested reduction depend on its indices. Values that are no floats are read where they are used.
        bool isNumber = isa<FloatType>(extract.getType());
        if (isNumber && extract->getParentOp() == reduce.getOperation() && isRowSide(extract))
          product.rowExtracts.push_back(extract);
      });
      matchDot(product);
      if (!product.isDot)
        product.tanhs = SumOfTanh::match(reduce, [&](Value value) { return sideOf(value); });
      foldScales(product);
    }
    problem.scoreIsProduct =
        problem.products.size() == 1 && problem.products[0].scaled == AttendProblem::yielded(op.getScore());
    problem.scoreIsBounded = isBounded(AttendProblem::yielded(op.getScore()));
  }

  /// Whether the value consists of sums and products of bounded functions and constants.
  static bool isBounded(Value value) {
    APFloat number(0.0f);
    if (matchPattern(value, m_ConstantFloat(&number)))
      return number.isFinite();
    Operation *definer = value.getDefiningOp();
    if (isa_and_nonnull<arith::DivFOp>(definer))
      return isBounded(definer->getOperand(0)) && matchPattern(definer->getOperand(1), m_ConstantFloat(&number)) &&
             number.isNormal();
    if (isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp>(definer))
      return llvm::all_of(definer->getOperands(), isBounded);
    return isa_and_nonnull<math::TanhOp, math::ErfOp, math::SinOp, math::CosOp>(definer);
  }

  bool isRowSide(Value value) { return (uses.of(value) & problem.rowUses()) && !(uses.of(value) & IndexUses::anyKey); }

  SumOfTanh::Side sideOf(Value value) {
    bool isRow = uses.of(value) & problem.rowUses(), isKey = uses.of(value) & IndexUses::anyKey;
    return isRow ? (isKey ? SumOfTanh::Side::Both : SumOfTanh::Side::Row)
                 : (isKey ? SumOfTanh::Side::Key : SumOfTanh::Side::Neither);
  }

  void readPairExtracts() {
    if (op.getNumKeys() != 1)
      return;
    for (Region *region : {&op.getScore(), &op.getMask(), &op.getWeight()}) {
      if (region->empty())
        continue;
      BlockArgument key = region->getArguments().back();
      for (Operation &inner : region->front())
        if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
          if ((uses.of(extract) & problem.rowUses()) && extract.getIndices().back() == key &&
              IndexUses::stepsWith(extract, key))
            problem.pairExtracts.push_back({extract, key});
    }
  }

  /// Finds residue classes, for one row and one key index, if nothing is read or written in the order of the keys.
  void readClasses() {
    if (!problem.hasMask() || problem.rowDims.size() != 1 || op.getNumKeys() != 1 || !problem.pairExtracts.empty() ||
        problem.yields(attn::Statistic::Weights) || problem.yields(attn::Statistic::KeySums))
      return;
    SmallVector<Value> conditions = {AttendProblem::yielded(op.getMask())};
    while (!conditions.empty() && !problem.classes) {
      Value condition = conditions.pop_back_val();
      if (auto both = condition.getDefiningOp<arith::AndIOp>())
        conditions.append({both.getLhs(), both.getRhs()});
      else if (auto equal = condition.getDefiningOp<arith::CmpIOp>();
               equal && equal.getPredicate() == arith::CmpIPredicate::eq && matchPattern(equal.getRhs(), m_Zero()))
        readCongruence(condition, equal.getLhs());
    }
  }

  /// Matches remainder(x, c) = 0, or x - floor(x / c) c = 0, with x = the row's index - the key's + a constant.
  void readCongruence(Value condition, Value remainder) {
    Value number;
    std::optional<int64_t> modulus;
    if (auto rest = remainder.getDefiningOp<arith::RemSIOp>()) {
      number = rest.getLhs();
      modulus = getConstantIntValue(rest.getRhs());
    } else if (auto rest = remainder.getDefiningOp<arith::SubIOp>()) {
      number = rest.getLhs();
      auto multiple = rest.getRhs().getDefiningOp<arith::MulIOp>();
      auto quotient = multiple ? multiple.getLhs().getDefiningOp<arith::FloorDivSIOp>() : arith::FloorDivSIOp();
      if (quotient && quotient.getLhs() == number && quotient.getRhs() == multiple.getRhs())
        modulus = getConstantIntValue(quotient.getRhs());
    }
    if (!modulus || *modulus < 2)
      return;
    Difference difference;
    if (!addTerms(number, 1, difference) || difference.row * difference.key != -1)
      return;
    int64_t offset = (difference.row * difference.number % *modulus + *modulus) % *modulus;
    problem.classes = ResidueClasses{*modulus, offset, condition};
  }

  struct Difference {
    int64_t row = 0, key = 0, number = 0; ///< row * i + key * j + number
  };
  bool addTerms(Value value, int64_t sign, Difference &to) {
    attn::AttendOp attend = op;
    Block &mask = attend.getMask().front();
    if (auto known = getConstantIntValue(value))
      return to.number += sign * *known, true;
    if (value == mask.getArgument(problem.rowDims[0]))
      return to.row += sign, true;
    if (value == mask.getArguments().back())
      return to.key += sign, true;
    Operation *sum = value.getDefiningOp();
    return isa_and_nonnull<arith::AddIOp, arith::SubIOp>(sum) && addTerms(sum->getOperand(0), sign, to) &&
           addTerms(sum->getOperand(1), isa<arith::SubIOp>(sum) ? -sign : sign, to);
  }

  void matchDot(PairReduction &product) {
    if (product.op.getCombine() != attn::Combine::Add)
      return;
    auto multiply = AttendProblem::yielded(product.op.getBody()).getDefiningOp<arith::MulFOp>();
    if (!multiply)
      return;
    for (auto [row, key] : {std::pair(multiply.getLhs(), multiply.getRhs()), {multiply.getRhs(), multiply.getLhs()}}) {
      auto extract = row.getDefiningOp<tensor::ExtractOp>();
      bool keyOnly = !(uses.of(key) & problem.rowUses()) && (uses.of(key) & IndexUses::anyKey);
      if (extract && keyOnly && !(uses.of(row) & IndexUses::anyKey)) {
        product.isDot = true;
        product.keyFactor = key;
        product.rowExtracts = {extract};
        return;
      }
    }
  }

  void foldScales(PairReduction &product) {
    uint64_t varying = problem.rowUses() | IndexUses::anyKey;
    while (product.scaled.hasOneUse()) {
      Operation *user = *product.scaled.user_begin();
      if (user->getParentOp() != op || !isa<arith::MulFOp, arith::DivFOp>(user))
        return;
      bool divides = isa<arith::DivFOp>(user);
      Value other = user->getOperand(0) == product.scaled ? user->getOperand(1) : user->getOperand(0);
      if ((divides && user->getOperand(0) != product.scaled) || (uses.of(other) & varying) || other == product.scaled)
        return;
      product.scales.push_back({other, divides});
      product.scaled = user->getResult(0);
    }
  }

  enum class Degree { Zero, One, Any, Unknown }; // Any: identically zero

  Degree weightDegree(Value value) {
    if (!(uses.of(value) & IndexUses::weight))
      return matchPattern(value, m_AnyZeroFloat()) ? Degree::Any : Degree::Zero;
    if (isa<BlockArgument>(value))
      return Degree::One;
    Operation *definer = value.getDefiningOp();
    auto degreeOf = [&](unsigned operand) { return weightDegree(definer->getOperand(operand)); };
    auto same = [](Degree a, Degree b) {
      return a == Degree::Any ? b : b == Degree::Any || a == b ? a : Degree::Unknown;
    };
    if (isa<arith::NegFOp>(definer))
      return degreeOf(0);
    if (isa<arith::AddFOp, arith::SubFOp>(definer))
      return same(degreeOf(0), degreeOf(1));
    if (isa<arith::MulFOp>(definer)) {
      Degree a = degreeOf(0), b = degreeOf(1);
      return (a == Degree::One && b == Degree::Zero) || (a == Degree::Zero && b == Degree::One) ? Degree::One
                                                                                                : Degree::Unknown;
    }
    if (isa<arith::DivFOp>(definer))
      return degreeOf(0) == Degree::One && degreeOf(1) == Degree::Zero ? Degree::One : Degree::Unknown;
    if (isa<arith::SelectOp>(definer) && !(uses.of(definer->getOperand(0)) & IndexUses::weight))
      return same(degreeOf(1), degreeOf(2));
    return Degree::Unknown;
  }

  AttendProblem &problem;
  attn::AttendOp op;
  IndexUses uses;
};

} // namespace

Verdict readAttendOp(AttendProblem &problem) { return Reader(problem).read(); }

Verdict readAttendProblem(func::FuncOp kernel, AttendProblem &problem) {
  problem.kernel = kernel;
  for (Operation &inner : kernel.getBody().front())
    if (auto attend = dyn_cast<attn::AttendOp>(inner)) {
      if (problem.op)
        return Verdict::no("it contains more than one attn.attend");
      problem.op = attend;
    }
  if (!problem.op)
    return Verdict::no("it contains no attn.attend");
  for (Value returned : computedResults(kernel))
    if (returned.getDefiningOp() != problem.op.getOperation())
      return Verdict::no("it returns values other than the results of attn.attend");
  return readAttendOp(problem);
}

} // namespace attnc
