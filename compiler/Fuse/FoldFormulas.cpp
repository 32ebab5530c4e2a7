//===- FoldFormulas.cpp - attn-fold-formulas ----------------------------------------------------------------------===//
//
// Inlines the elements of a pointwise tensor into the formula that reads them by subscript.
//
// Precondition: pointwise chains are fused. Postcondition: no formula (a region of attend, the body of a pointwise op)
// reads by subscript a pointwise tensor that has no operands, that it reads exactly once for each element, or, over all
// pairs, that is cheap to compute.
//
//   %bias = generic { slope * (i - j) }  : [heads, seq, seq]      score (%h, %i, %j) {
//   attend ... score (%h, %i, %j) {                          →      ... slope * (%i - %j)
//     extract %bias[%h, %i, %j]
//
// attn-fold-pair-formulas does this for all-pairs tensors that an attend reads, and no others. It runs before derive,
// so that no gradient of an all-pairs tensor is materialised.
//
// A data-dependent subscript is checked where an element is loaded. If folding would remove that load, as for iota(n),
// the tensor is not folded.
//
// Folding saves the tensor. It costs recomputation if the formula has more indices than the tensor: k[j, d] * scale
// would be recomputed for every query.
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/DataSubscripts.h"
#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/OpCost.h"
#include "compiler/Analysis/RefusedFusions.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Analysis/Subscripts.h"
#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Fuse/Fuse.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_FOLDPAIRFORMULASPASS
#define GEN_PASS_DEF_FOLDFORMULASPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

/// Largest cost at which an element of an all-pairs tensor is recomputed rather than loaded.
constexpr int64_t kCheapElement = 24;

class FormulaFolder {
public:
  FormulaFolder(ModuleOp module, bool pairsAlone) : module(module), pairsAlone(pairsAlone) {}

  void run() {
    for (func::FuncOp function : hostFunctions(module)) {
      bool changed = true;
      while (changed) {
        changed = false;
        SmallVector<tensor::ExtractOp> extracts;
        function.walk([&](tensor::ExtractOp extract) {
          if (!pairsAlone || isOfAllPairs(extract))
            extracts.push_back(extract);
        });
        for (tensor::ExtractOp extract : extracts)
          changed |= tryFold(function, extract);
      }
    }
  }

private:
  bool tryFold(func::FuncOp function, tensor::ExtractOp extract) {
    Operation *reader = extract->getParentOfType<attn::AttendOp>();
    if (!reader)
      reader = extract->getParentOfType<linalg::GenericOp>();
    auto producer = extract.getTensor().getDefiningOp<linalg::GenericOp>();
    if (!reader || !producer || producer == reader || producer->getBlock() != reader->getBlock() ||
        producer->getNumResults() != 1 || !isPointwise(producer) || !keepsChecks(extract, producer) ||
        !isWorthFolding(extract, producer) || isRefused(reasonId(Reason::FormulaFolded), producer, reader))
      return false;
    SymbolicShapes shapes(function);
    recordDecision(module, {true,
                            Reason::FormulaFolded,
                            placeOf(producer),
                            placeOf(reader),
                            shapes.text(shapes.bytes(extract.getTensor())),
                            function.getName().str(),
                            false,
                            {}});
    fold(extract, producer);
    if (producer.use_empty())
      producer.erase();
    return true;
  }

  /// True if each subscript that needs a check is also one of a tensor that the formula reads, of the same size.
  static bool keepsChecks(tensor::ExtractOp extract, linalg::GenericOp producer) {
    return llvm::all_of(llvm::enumerate(extract.getIndices()), [&](auto subscript) {
      return !needsCheck(extract, subscript.index()) ||
             llvm::any_of(producer.getDpsInputOperands(), [&](OpOperand *operand) {
               AffineMap map = producer.getMatchingIndexingMap(operand);
               AffineExpr index = getAffineDimExpr(subscript.index(), map.getContext());
               return !producer.getMatchingBlockArgument(operand).use_empty() &&
                      llvm::is_contained(map.getResults(), index);
             });
    });
  }

  static bool isWorthFolding(tensor::ExtractOp extract, linalg::GenericOp producer) {
    if (onlyMoves(producer) || isCheapFormula(producer))
      return true;
    LoopIndices indices = LoopIndices::around(extract);
    SubscriptReader reader(indices);
    SmallVector<AffineExpr> subscripts;
    for (Value subscript : extract.getIndices())
      subscripts.push_back(reader.read(subscript));
    auto isUsed = [&](unsigned index) {
      return llvm::any_of(subscripts, [&](AffineExpr expr) { return expr.isFunctionOfDim(index); });
    };
    bool readsEachOnce = llvm::all_of(llvm::seq<unsigned>(0, indices.values.size()), isUsed);
    if (readsEachOnce && producer.getResult(0).hasOneUse())
      return true;
    return costOf(producer.getRegion()).instructions <= kCheapElement && isOfAllPairs(extract, isUsed);
  }

  /// Returns the outer indices that number queries of the same keys: no subscript of a key or value depends on them.
  static SmallVector<unsigned> queryIndices(attn::AttendOp attend) {
    unsigned outer = attend.getNumOuter(), keys = attend.getNumKeys();
    llvm::SmallBitVector chooses(outer);
    bool found = false;
    for (Region *region : {&attend.getValue(), &attend.getScore()}) {
      region->walk([&](tensor::ExtractOp extract) {
        LoopIndices indices = LoopIndices::around(extract);
        SubscriptReader reader(indices);
        llvm::SmallBitVector used(indices.values.size());
        for (Value subscript : extract.getIndices())
          reader.read(subscript).walk([&](AffineExpr expr) {
            if (auto dim = dyn_cast<AffineDimExpr>(expr))
              used.set(dim.getPosition());
          });
        if (llvm::none_of(llvm::seq(outer, outer + keys), [&](unsigned key) { return used[key]; }))
          return;
        found = true;
        for (unsigned index = 0; index < outer; ++index)
          if (used[index])
            chooses.set(index);
      });
      if (found)
        break;
    }
    SmallVector<unsigned> queries;
    for (unsigned index = 0; index < outer; ++index)
      if (!chooses[index])
        queries.push_back(index);
    return queries;
  }

  static bool isOfAllPairs(tensor::ExtractOp extract) {
    LoopIndices indices = LoopIndices::around(extract);
    SubscriptReader reader(indices);
    SmallVector<AffineExpr> subscripts;
    for (Value subscript : extract.getIndices())
      subscripts.push_back(reader.read(subscript));
    return isOfAllPairs(extract, [&](unsigned index) {
      return llvm::any_of(subscripts, [&](AffineExpr expr) { return expr.isFunctionOfDim(index); });
    });
  }

  /// True if the element depends on both a query and a key, outside of any reduction.
  static bool isOfAllPairs(tensor::ExtractOp extract, llvm::function_ref<bool(unsigned)> isUsed) {
    auto attend = extract->getParentOfType<attn::AttendOp>();
    if (!attend || extract->getParentOfType<attn::ReduceOp>())
      return false;
    unsigned outer = attend.getNumOuter(), keys = attend.getNumKeys();
    return llvm::any_of(llvm::seq(outer, outer + keys), isUsed) && llvm::any_of(queryIndices(attend), isUsed);
  }

  static void fold(tensor::ExtractOp extract, linalg::GenericOp producer) {
    OpBuilder builder(extract);
    Location location = extract.getLoc();
    SmallVector<Value> indices(extract.getIndices()), unproved = unprovedSubscripts(extract);
    IRMapping mapping;
    SmallVector<AffineMap> maps = producer.getIndexingMapsArray();
    for (OpOperand *operand : producer.getDpsInputOperands()) {
      BlockArgument argument = producer.getMatchingBlockArgument(operand);
      if (argument.use_empty())
        continue;
      if (!isa<RankedTensorType>(operand->get().getType())) {
        mapping.map(argument, operand->get());
        continue;
      }
      SmallVector<Value> subscripts;
      for (AffineExpr expr : maps[operand->getOperandNumber()].getResults())
        subscripts.push_back(writeSubscript(builder, location, expr, indices, {}));
      auto element = tensor::ExtractOp::create(builder, location, operand->get(), subscripts);
      markUnproved(element, unproved);
      mapping.map(argument, element.getResult());
    }
    for (Operation &op : producer.getBody()->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(op))
        mapping.map(index.getResult(), indices[index.getDim()]);
      else
        builder.clone(op, mapping);
    }
    Value element = mapping.lookupOrDefault(producer.getBody()->getTerminator()->getOperand(0));
    extract.getResult().replaceAllUsesWith(element);
    extract.erase();
  }

  ModuleOp module;
  bool pairsAlone;
};

struct FoldFormulas : impl::FoldFormulasPassBase<FoldFormulas> {
  void runOnOperation() override { FormulaFolder(getOperation(), /*pairsAlone=*/false).run(); }
};

struct FoldPairFormulas : impl::FoldPairFormulasPassBase<FoldPairFormulas> {
  void runOnOperation() override { FormulaFolder(getOperation(), /*pairsAlone=*/true).run(); }
};

} // namespace

} // namespace attnc
