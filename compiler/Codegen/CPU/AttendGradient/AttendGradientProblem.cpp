#include "compiler/Codegen/CPU/AttendGradient/AttendGradientProblem.h"
#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "dialects/Attn/ScalarDerivatives.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

namespace {

class AttendGradientReader : GradientReader {
public:
  AttendGradientReader(func::FuncOp kernel, AttendGradientProblem &problem)
      : GradientReader(kernel, problem), problem(problem) {}

  Verdict read() {
    using Step = Verdict (AttendGradientReader::*)();
    for (Step step : std::initializer_list<Step>{
             &AttendGradientReader::readCopy, &AttendGradientReader::checkStatistics,
             &AttendGradientReader::readForward, &AttendGradientReader::checkNormaliser,
             &AttendGradientReader::readValue, &AttendGradientReader::readDots, &AttendGradientReader::readDerivatives,
             &AttendGradientReader::readSink, &AttendGradientReader::checkLeaves})
      if (Verdict verdict = (this->*step)(); !verdict)
        return verdict;
    readChunks();
    readSplits();
    readTermsOfPairs();
    return Verdict::yes();
  }

private:
  //===------------------------------------------ the forward op ----------------------------------------------===//

  Verdict checkStatistics() {
    for (attn::Statistic statistic : gradient.getStatistics())
      if (statistic != attn::Statistic::Value && statistic != attn::Statistic::Lse)
        return Verdict::no(std::string("it has a cotangent of ") + textOf(statistic));
    if (!problem.cotangentOf(attn::Statistic::Value) || gradient.getValue().empty())
      return Verdict::no("it has no cotangent of the value");
    if (!problem.savedOf(attn::Statistic::Value) || !problem.savedOf(attn::Statistic::Lse))
      return Verdict::no("the value and lse of the forward pass are not saved");
    for (Value tensor : {problem.cotangentOf(attn::Statistic::Value), problem.cotangentOf(attn::Statistic::Lse),
                         problem.savedOf(attn::Statistic::Value), problem.savedOf(attn::Statistic::Lse)})
      if (tensor && !isa<BlockArgument>(tensor))
        return Verdict::no("a cotangent or a saved tensor is computed inside the kernel");
    if (!gradient.getWeight().empty())
      return Verdict::no("it has a weight expression");
    return Verdict::yes();
  }

  Verdict checkNormaliser() {
    return problem.attend.normaliser->hasTiledGradient()
               ? Verdict::yes()
               : Verdict::no("its normaliser has another gradient than softmax");
  }

  void unfoldWantedScales() {
    for (PairReduction &product : problem.attend.products)
      if (llvm::any_of(product.scales, [&](auto &scale) { return readsWanted(scale.first); }))
        unfoldScales(product);
  }

  bool readsWanted(Value value) const {
    Operation *definer = value.getDefiningOp();
    if (!definer || !problem.attend.op->isProperAncestor(definer))
      return false;
    if (auto extract = dyn_cast<tensor::ExtractOp>(definer))
      return resultOf(extract.getTensor()).has_value();
    return llvm::any_of(definer->getOperands(), [&](Value operand) { return readsWanted(operand); });
  }

  /// If the gradient of a scale is requested, the product without the scale is needed.
  void unfoldScales(PairReduction &product) {
    product.scales.clear();
    product.scaled = product.op.getResult();
    problem.attend.scoreIsProduct = false;
  }

  //===------------------------------------------ factors -----------------------------------------------------===//

  bool isRow(tensor::ExtractOp extract, BlockArgument index) const {
    return isa<BlockArgument>(extract.getTensor()) && extract.getType().isF32() && IndexUses::stepsWith(extract, index);
  }

  /// Whether different values of these dimensions, numbered as the outer and then the key indices, load different rows.
  /// Sums of several rows in registers require it. Each dimension must be in a subscript of its own; the last one is
  /// that of the elements of a row.
  bool hasOwnRows(tensor::ExtractOp extract, ArrayRef<unsigned> dimensions) const {
    attn::AttendOp op = problem.attend.op;
    IndexUses uses(op);
    auto usesOf = [&](unsigned dimension) {
      bool isOuter = dimension < op.getNumOuter();
      return isOuter ? IndexUses::outer(dimension) : IndexUses::key(dimension - op.getNumOuter());
    };
    uint64_t all = 0;
    for (unsigned dimension : dimensions)
      all |= usesOf(dimension);
    return llvm::all_of(dimensions, [&](unsigned dimension) {
      auto isOwn = [&](Value subscript) { return (uses.of(subscript) & all) == usesOf(dimension); };
      return IndexUses::stepsAlong(extract, indexOf(extract, dimension)) &&
             llvm::any_of(extract.getIndices().drop_back(), isOwn);
    });
  }

  bool keysHaveOwnRows(tensor::ExtractOp extract) const {
    attn::AttendOp op = problem.attend.op;
    unsigned first = op.getNumOuter(), end = first + op.getNumKeys();
    return hasOwnRows(extract, llvm::to_vector(llvm::seq(first, end)));
  }

  Verdict readValue() {
    attn::AttendOp op = problem.attend.op;
    problem.value = AttendProblem::yielded(op.getValue()).getDefiningOp<tensor::ExtractOp>();
    int64_t rank = op.getNumOuter() + op.getNumValues();
    bool isPlain = problem.value && op.getNumValues() == 1 && problem.attend.values.isConstant() &&
                   isRow(problem.value, op.getValue().getArguments().back()) &&
                   !(IndexUses(op).of(problem.value) & problem.attend.rowUses()) &&
                   (!problem.valueLayout || problem.valueLayout->back() == rank - 1);
    if (!isPlain)
      return Verdict::no("its value is not a row of a tensor of constant length");
    problem.values = problem.attend.values.constant();
    problem.valueResult = resultOf(problem.value.getTensor());
    if (problem.valueResult && !keysHaveOwnRows(problem.value))
      return Verdict::no("several keys have the same value, whose gradient is requested");
    leaves.insert(problem.value);
    return Verdict::yes();
  }

  Verdict readDots() {
    unfoldWantedScales();
    for (auto [number, product] : llvm::enumerate(problem.attend.products)) {
      attn::ReduceOp op = product.op;
      if (product.tanhs && product.features.isConstant()) {
        if (Verdict verdict = readTanh(number); !verdict)
          return verdict;
        continue;
      }
      auto key = product.isDot ? product.keyFactor.getDefiningOp<tensor::ExtractOp>() : tensor::ExtractOp();
      if (!key || op.getSizes().size() != 1 || !product.features.isConstant() ||
          !isRow(product.rowExtracts[0], op.getBody().getArgument(0)) || !isRow(key, op.getBody().getArgument(0)))
        return Verdict::no("its score is not a sum of products of two rows of tensors");
      GradientDot &dot = problem.dots.emplace_back();
      dot.product = number;
      dot.rowFactor = product.rowExtracts[0];
      dot.keyFactor = key;
      dot.feature = op.getBody().getArgument(0);
      dot.features = product.features.constant();
      dot.rowResult = resultOf(dot.rowFactor.getTensor());
      dot.keyResult = resultOf(dot.keyFactor.getTensor());
      bool rowsAreOwn = !dot.rowResult || hasOwnRows(dot.rowFactor, problem.attend.rowDims);
      bool keysAreOwn = !dot.keyResult || keysHaveOwnRows(dot.keyFactor);
      if (!rowsAreOwn || !keysAreOwn)
        return Verdict::no("several rows or keys have the same factor of a product, whose gradient is requested");
      leaves.insert(dot.rowFactor);
      leaves.insert(dot.keyFactor);
    }
    return Verdict::yes();
  }

  Verdict readTanh(unsigned number) {
    GradientTanh &tanh = problem.tanhs.emplace_back();
    tanh.product = number;
    createTanhFormulas(problem.attend.products[number], tanh);
    IndexUses uses(problem.attend.op);
    uint64_t pairs = problem.attend.rowUses() | IndexUses::anyKey;
    auto result = [&](Value tensor) { return resultOf(tensor); };
    if (Verdict verdict = readTanhLeaves(tanh, uses, pairs, result); !verdict)
      return verdict;
    for (auto *own : {&tanh.rowLeaves, &tanh.keyLeaves})
      for (GradientScope::Leaf &leaf : *own)
        leaves.insert(leaf.extract);
    for (auto *shared : {&tanh.sharedLeaves, &tanh.coefficientLeaves})
      for (GradientScope::Leaf &leaf : *shared)
        sharedLeaves.insert(leaf.extract);
    return Verdict::yes();
  }

  //===------------------------------------------ derivatives -------------------------------------------------===//

  Verdict readDerivatives() {
    attn::AttendOp op = problem.attend.op;
    Block &score = op.getScore().front();
    SmallVector<Operation *> forward;
    for (Operation &inner : score.without_terminator())
      forward.push_back(&inner);
    OpBuilder builder(score.getTerminator());
    Value one = arith::ConstantOp::create(builder, op.getLoc(), builder.getF32FloatAttr(1));
    attn::Cotangents partials;
    partials[AttendProblem::yielded(op.getScore())] = one;
    if (Operation *unknown = attn::differentiate(builder, forward, partials))
      return Verdict::no("the derivative of " + unknown->getName().getStringRef().str() + " is not known");
    for (GradientDot &dot : problem.dots) {
      dot.partial = partials.lookup(problem.attend.products[dot.product].scaled);
      if (!dot.partial)
        dot.rowResult = dot.keyResult = std::nullopt;
    }
    for (GradientTanh &tanh : problem.tanhs) {
      tanh.partial = partials.lookup(problem.attend.products[tanh.product].scaled);
      if (!tanh.partial)
        tanh.rowLeaves = tanh.keyLeaves = tanh.sharedLeaves = tanh.coefficientLeaves = {};
    }
    for (Operation *inner : forward)
      if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
        if (auto result = resultOf(extract.getTensor())) {
          leaves.insert(extract);
          if (Value partial = partials.lookup(extract))
            problem.terms.push_back({extract, partial, *result});
        }
    foldPartials(one);
    return Verdict::yes();
  }

  static bool isWanted(const GradientDot &dot) { return dot.rowResult || dot.keyResult; }

  void foldPartials(Value one) {
    IndexUses uses(problem.attend.op);
    uint64_t pairs = problem.attend.rowUses() | IndexUses::anyKey;
    problem.isFolded = problem.dots.size() == 1 && problem.tanhs.empty() && problem.terms.empty() &&
                       isWanted(problem.dots[0]) && !(uses.of(problem.dots[0].partial) & pairs);
    auto keep = [&](Value partial) {
      if (dependsOnProduct(partial) && !llvm::is_contained(problem.keptPartials, partial))
        problem.keptPartials.push_back(partial);
    };
    for (const GradientDot &dot : problem.dots)
      if (isWanted(dot))
        keep(dot.partial);
    for (const GradientTanh &tanh : problem.tanhs)
      if (tanh.isWanted())
        keep(tanh.partial);
    for (const GradientTerm &term : problem.terms)
      keep(term.partial);
  }

  static bool dependsOnProduct(Value value) {
    Operation *definer = value.getDefiningOp();
    return definer && (isa<attn::ReduceOp>(definer) || llvm::any_of(definer->getOperands(), dependsOnProduct));
  }

  /// Every load of a tensor whose gradient is requested must be one of the leaves.
  Verdict checkLeaves() {
    Verdict verdict = Verdict::yes();
    attn::AttendOp op = problem.attend.op;
    for (Region *region : {&op.getScore(), &op.getValue()})
      region->walk([&](tensor::ExtractOp extract) {
        if (resultOf(extract.getTensor()) && !leaves.contains(extract) && !sharedLeaves.contains(extract))
          verdict = Verdict::no("it reads a tensor that needs a gradient inside another kind of reduction");
      });
    return verdict;
  }

  //===------------------------------------------ splits ------------------------------------------------------===//

  /// Whether different keys read different elements.
  bool tellsKeysApart(tensor::ExtractOp extract) const {
    attn::AttendOp op = problem.attend.op;
    return llvm::all_of(llvm::seq<unsigned>(0, op.getNumKeys()), [&](unsigned key) {
      return llvm::is_contained(extract.getIndices(), indexOf(extract, op.getNumOuter() + key));
    });
  }

  /// Whether two loads from one tensor never read the same element.
  static bool areApart(tensor::ExtractOp a, tensor::ExtractOp b) {
    return llvm::any_of(llvm::zip(a.getIndices(), b.getIndices()), [](auto subscripts) {
      auto first = getConstantIntValue(std::get<0>(subscripts)), second = getConstantIntValue(std::get<1>(subscripts));
      return first && second && *first != *second;
    });
  }

  void readSplits() {
    SmallVector<tensor::ExtractOp> ofRows, ofKeys;
    for (Operation *leaf : leaves) {
      auto extract = cast<tensor::ExtractOp>(leaf);
      auto isOwn = [&](const GradientScope::Leaf &leaf) { return leaf.extract == extract; };
      bool isRow = llvm::any_of(problem.dots, [&](GradientDot &dot) { return dot.rowFactor == extract; }) ||
                   llvm::any_of(problem.tanhs, [&](auto &tanh) { return llvm::any_of(tanh.rowLeaves, isOwn); }) ||
                   problem.attend.op.getSink().isAncestor(extract->getParentRegion());
      if (resultOf(extract.getTensor()))
        (isRow ? ofRows : ofKeys).push_back(extract);
    }
    problem.splitsKeys = llvm::all_of(ofKeys, [&](tensor::ExtractOp key) {
      return tellsKeysApart(key) && llvm::all_of(ofRows, [&](tensor::ExtractOp row) {
               return row.getTensor() != key.getTensor() || areApart(row, key);
             });
    });
  }

  //===------------------------------------------ terms of pairs ----------------------------------------------===//

  /// The index of attention that each subscript is; null if a subscript is anything else.
  std::optional<SmallVector<unsigned>> indicesOf(tensor::ExtractOp extract) const {
    attn::AttendOp op = problem.attend.op;
    SmallVector<unsigned> indices;
    auto all = llvm::seq(op.getNumOuter() + op.getNumKeys());
    for (Value subscript : extract.getIndices()) {
      auto index = llvm::find_if(all, [&](unsigned number) { return indexOf(extract, number) == subscript; });
      if (index == all.end())
        return std::nullopt;
      indices.push_back(*index);
    }
    return indices;
  }

  void readTermsOfPairs() {
    attn::AttendOp op = problem.attend.op;
    unsigned key = op.getNumOuter();
    for (GradientTerm &term : problem.terms) {
      size_t loads = llvm::count_if(leaves, [&](Operation *leaf) {
        return cast<tensor::ExtractOp>(leaf).getTensor() == term.extract.getTensor();
      });
      std::optional<SmallVector<unsigned>> indices = indicesOf(term.extract);
      if (loads != 1 || op.getNumKeys() != 1 || !indices || indices->empty())
        continue;
      auto has = [&](unsigned number) { return llvm::is_contained(*indices, number); };
      auto isOnce = [&](unsigned number) { return llvm::count(*indices, number) == 1; };
      term.hasElementPerPair =
          indices->back() == key && llvm::all_of(*indices, isOnce) && llvm::all_of(problem.attend.rowDims, has);
      term.indices = *indices;
      for (auto [number, each] : llvm::enumerate(problem.batchDims))
        if (!has(each.dimension))
          term.sharedBy.push_back(number);
    }
  }

  AttendGradientProblem &problem;
  llvm::SetVector<Operation *> sharedLeaves; ///< loads that are the same for all pairs of a batch
};

} // namespace

Verdict readAttendGradient(func::FuncOp kernel, AttendGradientProblem &problem) {
  return AttendGradientReader(kernel, problem).read();
}

} // namespace attnc
