#include "compiler/Codegen/Halide/ReadAttend.h"
#include "compiler/Codegen/Halide/ReadFormula.h"

using namespace mlir;

namespace attnc::halide {

/// Stands for the operand of a buffer that is none.
static constexpr unsigned noOperand = ~0u;

namespace {

class AttendReader : public FormulaReader {
public:
  AttendReader(func::FuncOp kernel, const AttendProblem &problem)
      : FormulaReader(kernel), problem(problem), op(problem.op) {}

  std::optional<KernelAttend> run(std::string &reason) {
    if (isTaken() && readLoops() && readFormulas() && checkFormulas()) {
      KernelAttend result{problem, std::move(pipeline), {}, std::move(made.arguments), std::move(made.operations)};
      made.stage.fold = Fold::Add; // what formulas give is computed with
      result.pipeline.formulas = keepingNan(std::move(made.stage));
      for (unsigned operand : made.operands)
        result.operands.push_back(operand == noOperand ? std::nullopt : std::optional(operand));
      if (auto largest = largestSize(result.pipeline.formulas)) {
        result.largestSize = *largest;
        return result;
      }
      decline("its subscripts may take more than 32 bits");
    }
    reason = why;
    return std::nullopt;
  }

private:
  bool isInside(Value value) override {
    return llvm::any_of(op->getRegions(), [&](Region &region) { return region.isAncestor(value.getParentRegion()); });
  }

  MaybeNode ownNode(Value value) override {
    if (auto found = loopOf.find(value); found != loopOf.end())
      return indexOf(found->second);
    if (auto reduce = value.getDefiningOp<attn::ReduceOp>())
      return productNode(reduce);
    return std::nullopt;
  }

  //===---------------------------------------- what is taken -----------------------------------------------------===//

  bool isTaken() {
    if (op.getNormaliser() != attn::Normaliser::Softmax)
      return decline("its scores are normalised by another function than a softmax");
    if (problem.hasWeight())
      return decline("a formula changes its weights");
    for (attn::Statistic statistic : op.getStatistics())
      if (statistic != attn::Statistic::Value && statistic != attn::Statistic::Lse)
        return decline("it has another result than the value and lse");
    if (!problem.hasValue() || problem.valueSizes.empty())
      return decline("it sums no vectors of values");
    if (problem.keySizes.size() != 1)
      return decline("its keys have several indices");
    if (problem.rowDims.empty())
      return decline("no queries share their keys");
    SmallVector<Value> results = computedResults(kernel);
    for (auto [result, type] : llvm::zip(results, kernel.getResultTypes()))
      if (result.getType() != type)
        return decline("a result is stored in fewer than 32 bits");
    return true;
  }

  //===---------------------------------------- loops -------------------------------------------------------------===//

  bool addLoops(ArrayRef<SizeExpr> added, bool areKnown, StringRef what) {
    for (const SizeExpr &size : added) {
      if (areKnown && !size.isConstant())
        return decline("there is no known number of " + what);
      if (size.isConstant() && size.constant() == 0)
        return decline("one of its loops runs over nothing");
      made.stage.loops.push_back({*sizeOf(size), false});
    }
    return true;
  }

  bool readLoops() {
    if (!addLoops(problem.outerSizes, false, "") || !addLoops(problem.keySizes, false, "") ||
        !addLoops(problem.valueSizes, true, "values"))
      return false;
    pipeline.outer = problem.outerSizes.size();
    pipeline.row = problem.rowDims.back();
    pipeline.key = pipeline.outer;
    for (unsigned value = 0; value < problem.valueSizes.size(); ++value)
      pipeline.values.push_back(pipeline.key + 1 + value);
    for (Region &region : op->getRegions())
      if (!region.empty() && &region != &op.getWeight())
        for (auto [number, argument] : llvm::enumerate(region.getArguments()))
          loopOf[argument] = number;
    const Size &rows = made.stage.loops[pipeline.row].size;
    if (rows.isConstant() && rows.number < fewestRows)
      return decline("it has fewer queries than a tile is worth");
    return true;
  }

  //===---------------------------------------- formulas ----------------------------------------------------------===//

  MaybeNode yielded(Region &region) { return nodeOf(AttendProblem::yielded(region)); }

  bool readFormulas() {
    readsScore = true;
    MaybeNode score = yielded(op.getScore());
    readsScore = false;
    MaybeNode value = score ? yielded(op.getValue()) : std::nullopt;
    if (!value)
      return false;
    pipeline.score = *score;
    pipeline.value = *value;
    if (problem.hasMask() && !(pipeline.mask = yielded(op.getMask())))
      return false;
    if (problem.hasSink() && !(pipeline.sink = yielded(op.getSink())))
      return false;
    pipeline.yieldsLse = problem.yields(attn::Statistic::Lse);
    return true;
  }

  /// A buffer that is no operand, with the node that reads it at these loops.
  unsigned makeBuffer(ArrayRef<unsigned> loops) {
    Buffer buffer{Element::F32, {}};
    for (unsigned loop : loops)
      buffer.shape.push_back(made.stage.loops[loop].size);
    made.stage.buffers.push_back(buffer);
    made.operands.push_back(noOperand);
    return made.stage.buffers.size() - 1;
  }

  MaybeNode productNode(attn::ReduceOp reduce) {
    if (!readsScore)
      return decline("its mask, value or sink has a sum"), std::nullopt;
    if (!reduce.getResult().getType().isF32())
      return decline("it folds numbers that are no f32"), std::nullopt;
    AttendPipeline::Product product;
    unsigned first = made.stage.loops.size();
    for (auto [size, index] : llvm::zip(reduce.getSizes(), reduce.getBody().getArguments())) {
      loopOf[index] = product.features.emplace_back(made.stage.loops.size());
      if (!addLoops({sizes.valueOf(size)}, true, "features"))
        return std::nullopt;
    }
    readsScore = false; // a sum in a sum is none
    MaybeNode term = nodeOf(AttendProblem::yielded(reduce.getBody()));
    readsScore = true;
    if (!term)
      return std::nullopt;
    for (unsigned loop = first; loop < made.stage.loops.size(); ++loop)
      if (!dependsOn(made.stage, *term, loop))
        return decline("it sums over features that its terms don't depend on"), std::nullopt;
    constexpr Fold folds[] = {Fold::Add, Fold::Mul, Fold::Max, Fold::Min}; // as attn::Combine
    product.fold = folds[static_cast<int>(reduce.getCombine())];
    product.term = *term;
    copyRows(product);
    product.buffer = makeBuffer({});
    pipeline.products.push_back(product);
    return add(Op::Load, Element::F32, {}, product.buffer);
  }

  /// What the term loads of rows is far apart: it is read from a tile instead.
  void copyRows(const AttendPipeline::Product &product) {
    for (unsigned number : nodesBelow(made.stage, product.term)) {
      if (made.stage.nodes[number].op != Op::Load || !dependsOn(made.stage, number, pipeline.row) ||
          dependsOn(made.stage, number, pipeline.key) || made.stage.nodes[number].element != Element::F32)
        continue;
      AttendPipeline::Tile tile;
      for (unsigned loop : product.features)
        if (dependsOn(made.stage, number, loop))
          tile.features.push_back(loop);
      if (tile.features.empty())
        continue;
      SmallVector<unsigned> subscripts;
      for (unsigned loop : tile.features)
        subscripts.push_back(indexOf(loop));
      tile.buffer = makeBuffer(tile.features);
      tile.value = made.stage.nodes.size();
      Node load = made.stage.nodes[number];
      made.stage.nodes.push_back(std::move(load));
      made.stage.nodes[number] = {
          Op::Load, Element::F32, {subscripts.begin(), subscripts.end()}, 0, static_cast<int64_t>(tile.buffer)};
      pipeline.tiles.push_back(tile);
    }
  }

  bool checkFormulas() {
    for (const Buffer &buffer : made.stage.buffers)
      if (buffer.element != widened(buffer.element))
        return decline("an operand is stored in fewer than 32 bits");
    for (const Node &node : made.stage.nodes)
      if (node.op == Op::Checked)
        return decline("it reads at subscripts that come from data, which are checked for the pairs that it keeps");
    return true;
  }

  static constexpr int64_t fewestRows = 4;

  const AttendProblem &problem;
  attn::AttendOp op;
  AttendPipeline pipeline;
  llvm::DenseMap<Value, unsigned> loopOf; ///< of indices
  bool readsScore = false;
};

} // namespace

std::optional<KernelAttend> readAttend(func::FuncOp kernel, std::string &reason) {
  AttendProblem problem;
  if (Verdict read = readAttendProblem(kernel, problem); !read) {
    reason = read.reason;
    return std::nullopt;
  }
  return AttendReader(kernel, problem).run(reason);
}

} // namespace attnc::halide
