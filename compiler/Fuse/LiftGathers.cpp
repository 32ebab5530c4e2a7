//===- LiftGathers.cpp - attn-lift-gathers ------------------------------------------------------------------------===//
//
// Hoists data-dependent reads of a row to a tensor of their own if a reduction runs over the same rows. The two can
// then share a kernel, which reads the row once, and later results may overwrite the rows. (The loss of a cross entropy
// reads the logit of the target; its gradient overwrites the logits.)
//
// Precondition: formulas are folded. Postcondition: such reads occur only in formulas over the rows alone.
//
//   %s = generic sum_k exp(x[b, k])            %s = generic sum_k exp(x[b, k])
//   %l = generic sum_b log(s[b])          →    %p = generic x[b, t[b]]
//                      - x[b, t[b]]            %l = generic sum_b log(s[b]) - p[b]
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Fuse/Legality.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_LIFTGATHERSPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

/// A read x[i, j, .., s] with loops i, j, .. and a subscript s computed from elements that are read along these loops
/// alone.
struct Gather {
  tensor::ExtractOp extract;
  SmallVector<unsigned> rows;              ///< the loops i, j, ..
  llvm::SetVector<Operation *> arithmetic; ///< the ops that compute s
  SmallVector<OpOperand *> operands;       ///< the formula's operands that s reads
};

struct LiftGathers : impl::LiftGathersPassBase<LiftGathers> {
  void runOnOperation() override {
    for (func::FuncOp function : hostFunctions(getOperation())) {
      SymbolicShapes shapes(function);
      SmallVector<tensor::ExtractOp> extracts;
      function.walk([&](tensor::ExtractOp op) { extracts.push_back(op); });
      for (tensor::ExtractOp extract : extracts)
        if (auto gather = match(extract))
          lift(*gather, shapes);
    }
  }

  /// True if a reduction runs over the rows of `tensor`.
  static bool isReducedByRow(Value tensor) {
    int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    return llvm::any_of(tensor.getUses(), [&](OpOperand &use) {
      auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
      return op && op.isDpsInput(&use) && op.getNumLoops() == rank && op.getMatchingIndexingMap(&use).isIdentity() &&
             rowRole(op, rank - 1) == RowRole::Reduction;
    });
  }

  static std::optional<Gather> match(tensor::ExtractOp extract) {
    auto formula = dyn_cast<linalg::GenericOp>(extract->getParentOp());
    Value tensor = extract.getTensor();
    int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    if (!formula || rank < 2 || !tensor.getDefiningOp() || isParameter(tensor) || !isReducedByRow(tensor))
      return std::nullopt;
    Gather gather{extract, {}, {}, {}};
    for (Value subscript : extract.getIndices().drop_back()) {
      auto index = subscript.getDefiningOp<linalg::IndexOp>();
      if (!index || llvm::is_contained(gather.rows, index.getDim()))
        return std::nullopt;
      gather.rows.push_back(index.getDim());
    }
    // A formula over the rows alone joins their kernel without a change.
    bool isOfRows = formula.getNumReductionLoops() == 0 && formula.getNumLoops() == gather.rows.size();
    return !isOfRows && collectArithmetic(formula, gather) ? std::optional(gather) : std::nullopt;
  }

  static bool collectArithmetic(linalg::GenericOp formula, Gather &gather) {
    Value last = gather.extract.getIndices().back();
    if (!last.getDefiningOp() || isa<linalg::IndexOp>(last.getDefiningOp()))
      return false;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) { return op->getBlock() == formula.getBody(); };
    if (failed(getBackwardSlice(last, &gather.arithmetic, options)))
      return false;
    llvm::SetVector<unsigned> read;
    for (Operation *op : gather.arithmetic) {
      auto index = dyn_cast<linalg::IndexOp>(op);
      if (index ? !llvm::is_contained(gather.rows, index.getDim())
                : op->getDialect()->getNamespace() != "arith" || op->getNumRegions() != 0)
        return false;
      for (Value operand : op->getOperands())
        if (auto argument = dyn_cast<BlockArgument>(operand); argument && argument.getOwner() == formula.getBody())
          read.insert(argument.getArgNumber());
    }
    for (unsigned number : read) {
      OpOperand *operand = &formula->getOpOperand(number);
      auto dims = plainDims(formula.getMatchingIndexingMap(operand));
      if (!formula.isDpsInput(operand) || !dims ||
          !llvm::all_of(*dims, [&](unsigned loop) { return llvm::is_contained(gather.rows, loop); }))
        return false;
      gather.operands.push_back(operand);
    }
    return !read.empty();
  }

  static void lift(Gather &gather, SymbolicShapes &shapes) {
    auto formula = cast<linalg::GenericOp>(gather.extract->getParentOp());
    OpBuilder builder(formula);
    Value picked = pick(builder, gather, formula, shapes);
    SmallVector<Value> inputs(formula.getInputs());
    SmallVector<AffineMap> maps = formula.getIndexingMapsArray();
    size_t place = inputs.size();
    inputs.push_back(picked);
    SmallVector<AffineExpr> rows;
    for (unsigned loop : gather.rows)
      rows.push_back(builder.getAffineDimExpr(loop));
    maps.insert(maps.begin() + place, AffineMap::get(formula.getNumLoops(), 0, rows, builder.getContext()));
    auto made = linalg::GenericOp::create(builder, formula.getLoc(), formula->getResultTypes(), inputs,
                                          formula.getOutputs(), maps, formula.getIteratorTypesArray());
    made->setDiscardableAttrs(formula->getDiscardableAttrDictionary());
    made.getRegion().takeBody(formula.getRegion());
    Value element = made.getBody()->insertArgument(place, gather.extract.getType(), gather.extract.getLoc());
    gather.extract.getResult().replaceAllUsesWith(element);
    gather.extract.erase();
    for (Operation *op : llvm::reverse(gather.arithmetic))
      if (op->use_empty())
        op->erase();
    formula.replaceAllUsesWith(made.getResults());
    formula.erase();
  }

  /// Creates the tensor of the gathered elements, one for each row.
  static Value pick(OpBuilder &builder, Gather &gather, linalg::GenericOp formula, SymbolicShapes &shapes) {
    Location at = gather.extract->getLoc();
    std::vector<SizeExpr> extents = loopExtents(formula, shapes);
    SmallVector<OpFoldResult> sizes;
    for (unsigned loop : gather.rows)
      sizes.push_back(shapes.materialise(builder, at, extents[loop]));
    Value empty = tensor::EmptyOp::create(builder, at, sizes, gather.extract.getType());
    unsigned count = gather.rows.size();
    auto loopOf = [&](unsigned loop) { return unsigned(llvm::find(gather.rows, loop) - gather.rows.begin()); };
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand *operand : gather.operands) {
      SmallVector<AffineExpr> dims;
      auto read = *plainDims(formula.getMatchingIndexingMap(operand));
      for (unsigned loop : read)
        dims.push_back(builder.getAffineDimExpr(loopOf(loop)));
      inputs.push_back(operand->get());
      maps.push_back(AffineMap::get(count, 0, dims, builder.getContext()));
    }
    maps.push_back(builder.getMultiDimIdentityMap(count));
    SmallVector<utils::IteratorType> loops(count, utils::IteratorType::parallel);
    auto body = [&](OpBuilder &inner, Location, ValueRange elements) {
      IRMapping copies;
      for (auto [operand, element] : llvm::zip(gather.operands, elements))
        copies.map(formula.getBody()->getArgument(operand->getOperandNumber()), element);
      for (Operation *op : gather.arithmetic) {
        Operation *copy = inner.clone(*op, copies);
        if (auto index = dyn_cast<linalg::IndexOp>(copy))
          index.setDim(loopOf(index.getDim()));
      }
      SmallVector<Value> subscripts;
      for (unsigned loop = 0; loop < count; ++loop)
        subscripts.push_back(linalg::IndexOp::create(inner, at, loop));
      subscripts.push_back(copies.lookupOrDefault(gather.extract.getIndices().back()));
      auto element = tensor::ExtractOp::create(inner, at, gather.extract.getTensor(), subscripts);
      if (llvm::is_contained(unprovedSubscripts(gather.extract), gather.extract.getIndices().back()))
        markUnproved(element, subscripts.back());
      linalg::YieldOp::create(inner, at, element.getResult());
    };
    return linalg::GenericOp::create(builder, at, empty.getType(), inputs, empty, maps, loops, body).getResult(0);
  }
};

} // namespace

} // namespace attnc
