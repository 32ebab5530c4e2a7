//===- FormContractions.cpp - attn-form-contractions --------------------------------------------------------------===//
//
// Normalises contractions to the loops of a gemm kernel, and groups each with the pointwise op after it, its epilogue.
//
// Precondition: pointwise chains are fused. Postcondition: contractions and their epilogues are marked as groups of
// kind "gemm". If the indices of every operand form groups (batch, rows, depth, columns), the loops are [batch,] M, N,
// K and operands are reshaped, which is free; otherwise the loops are unchanged.
//
//   %y = generic sum_k x[b, s, k] * w[k, n]                %x2 = collapse %x  [b * s, k]
//   %z = generic gelu(y[b, s, n] + bias[n])          →     %y2 = generic sum_k x2[m, k] * w[k, n]    {attn.group = 0}
//                                                          %z2 = generic gelu(y2[m, n] + bias[n])    {attn.group = 0}
//                                                          %z = expand %z2
//
// Loops of one iteration are removed from sums of products, and a product of several factors first becomes a
// contraction (LiftFactors.h). A sum over windows that an emitter supports directly is neither; it and its epilogue are
// marked as a group of kind "loops", which attn-split-kernels splits if the emitter does not support the whole group.
//
// If both operands of a pointwise op are contractions, it becomes the epilogue of the later one.
//
// On processors, grouped products and grouped outer products (OpClassification.h) are groups of kind "gemm", too. A
// grouped product that sums over rows becomes a product of all rows and a sum of its rows:
//
//   %y = generic sum_{r, k} x[t, r, k] * w[s[t, r], n, k]    →    %z = generic sum_k x[t, r, k] * w[s[t, r], n, k]
//                                                                %y = generic sum_r z[t, r, n]
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/RefusedFusions.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Fuse/EmitterPass.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Fuse/Groups.h"
#include "compiler/Fuse/Legality.h"
#include "compiler/Fuse/LiftFactors.h"
#include "compiler/Fuse/Regroup.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_FORMCONTRACTIONSPASS
#include "compiler/Fuse/EmitterPasses.h.inc"
namespace {

class ContractionFormer {
public:
  ContractionFormer(ModuleOp module, func::FuncOp function) : module(module), function(function), shapes(function) {}
  void run(llvm::function_ref<bool(linalg::GenericOp)> staysWindow);
  void separateSummedRows();
  void groupSelectedProducts();
  void groupOuterProducts();

private:
  OpFoldResult sizeOf(OpBuilder &builder, Location location, const SizeExpr &size);
  bool isRightInOrder(linalg::GenericOp contraction, const ContractionDims &dims);
  bool isLeftInOrder(linalg::GenericOp contraction, const ContractionDims &dims, ArrayRef<unsigned> depth);
  void copyToOrder(linalg::GenericOp contraction, unsigned operand, ArrayRef<unsigned> wanted);
  void orderOperands(linalg::GenericOp contraction, const ContractionDims &dims);
  linalg::GenericOp findEpilogue(linalg::GenericOp contraction);
  void recordEpilogue(linalg::GenericOp epilogue, linalg::GenericOp sum);
  void joinEpilogues(llvm::function_ref<bool(linalg::GenericOp)> staysWindow);
  struct Form;
  std::optional<Form> formOf(linalg::GenericOp contraction, const ContractionDims &dims, linalg::GenericOp epilogue);
  linalg::GenericOp buildProduct(linalg::GenericOp contraction, const ContractionDims &dims, const Form &form);
  linalg::GenericOp buildEpilogue(linalg::GenericOp epilogue, Value productBefore, Value product, const Form &form);
  bool regroup(linalg::GenericOp contraction, const ContractionDims &dims, linalg::GenericOp epilogue, GroupMark mark);

  ModuleOp module;
  func::FuncOp function;
  SymbolicShapes shapes;
};

} // namespace

//===-------------------------------------------- forming -----------------------------------------------------===//

linalg::GenericOp ContractionFormer::findEpilogue(linalg::GenericOp contraction) {
  Value product = contraction.getResult(0);
  if (!product.hasOneUse())
    return {};
  OpOperand &use = *product.getUses().begin();
  auto consumer = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!consumer || consumer->getBlock() != contraction->getBlock() || groupOf(consumer) ||
      whyNotEpilogue(consumer, use) || isRefused(reasonId(Reason::EpilogueFused), consumer, contraction))
    return {};
  return consumer;
}

/// True if kernels can read the right matrix in its memory order: batch dimensions first, then its columns and its
/// depth as one run of dimensions each, with the result's innermost column innermost among the columns.
bool ContractionFormer::isRightInOrder(linalg::GenericOp contraction, const ContractionDims &dims) {
  Value right = contraction.getInputs()[dims.rhs];
  SmallVector<unsigned> loops = *plainDims(contraction.getIndexingMapsArray()[dims.rhs]), parts;
  std::optional<unsigned> lastColumn, wantedLast;
  for (auto [dim, loop] : llvm::enumerate(loops)) {
    bool isBatch = llvm::is_contained(dims.batch, loop), isColumn = llvm::is_contained(dims.n, loop);
    if (isBatch != (dim < dims.batch.size()))
      return false;
    if (!isBatch && (parts.empty() || parts.back() != isColumn))
      parts.push_back(isColumn);
    if (isColumn && !(shapes.extent(right, dim) == SizeExpr(1)))
      lastColumn = loop;
  }
  for (unsigned loop : dims.n)
    if (!(shapes.extent(right, llvm::find(loops, loop) - loops.begin()) == SizeExpr(1)))
      wantedLast = loop;
  return parts.size() <= 2 && lastColumn == wantedLast;
}

/// True if kernels can traverse the depth of the left matrix in its memory order: its depth loops are adjacent in the
/// order of the right matrix, or the innermost one has a constant extent above 1.
bool ContractionFormer::isLeftInOrder(linalg::GenericOp contraction, const ContractionDims &dims,
                                      ArrayRef<unsigned> depth) {
  SmallVector<unsigned> loops = *plainDims(contraction.getIndexingMapsArray()[dims.lhs]);
  auto first = llvm::find(loops, depth.front());
  bool isRun =
      loops.end() - first >= static_cast<int64_t>(depth.size()) && std::equal(depth.begin(), depth.end(), first);
  int64_t innermost = llvm::find(loops, depth.back()) - loops.begin();
  SizeExpr steps = shapes.extent(contraction.getInputs()[dims.lhs], innermost);
  return isRun || (steps.isConstant() && steps.constant() > 1);
}

OpFoldResult ContractionFormer::sizeOf(OpBuilder &builder, Location location, const SizeExpr &size) {
  if (size.isConstant())
    return builder.getIndexAttr(size.constant());
  return shapes.materialise(builder, location, size);
}

/// Replaces an operand of the contraction by a copy whose dimensions are the loops `wanted`, in that order.
void ContractionFormer::copyToOrder(linalg::GenericOp contraction, unsigned operand, ArrayRef<unsigned> wanted) {
  SmallVector<AffineMap> maps = contraction.getIndexingMapsArray();
  SmallVector<unsigned> loops = *plainDims(maps[operand]);
  MLIRContext *context = contraction.getContext();
  Value source = contraction.getInputs()[operand];
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> permutation;
  SmallVector<AffineExpr> read;
  OpBuilder builder(contraction);
  for (unsigned loop : wanted) {
    int64_t dim = llvm::find(loops, loop) - loops.begin();
    permutation.push_back(dim);
    read.push_back(getAffineDimExpr(loop, context));
    sizes.push_back(sizeOf(builder, contraction.getLoc(), shapes.extent(source, dim)));
  }
  Value empty = tensor::EmptyOp::create(builder, contraction.getLoc(), sizes, builder.getF32Type());
  auto copy = linalg::TransposeOp::create(builder, contraction.getLoc(), source, empty, permutation);
  maps[operand] = AffineMap::get(contraction.getNumLoops(), 0, read, context);
  contraction.getInputsMutable()[operand].set(copy->getResult(0));
  contraction.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
}

/// Copies the operands that kernels cannot read in memory order: to [batch, depth, columns], [batch, rows, depth].
void ContractionFormer::orderOperands(linalg::GenericOp contraction, const ContractionDims &dims) {
  auto joined = [](ArrayRef<unsigned> batch, ArrayRef<unsigned> outer, ArrayRef<unsigned> inner) {
    SmallVector<unsigned> all(batch);
    all.append(outer.begin(), outer.end());
    all.append(inner.begin(), inner.end());
    return all;
  };
  if (!isRightInOrder(contraction, dims))
    copyToOrder(contraction, dims.rhs, joined(dims.batch, dims.k, dims.n));
  SmallVector<unsigned> depth;
  auto ofRight = plainDims(contraction.getIndexingMapsArray()[dims.rhs]);
  for (unsigned loop : *ofRight)
    if (llvm::is_contained(dims.k, loop))
      depth.push_back(loop);
  if (!isLeftInOrder(contraction, dims, depth))
    copyToOrder(contraction, dims.lhs, joined(dims.batch, dims.m, depth));
}

/// The operands of a contraction and of its epilogue by groups of loops.
struct ContractionFormer::Form {
  enum { Batch, M, N, K };
  SmallVector<Dims> groups;                    ///< loops of the contraction by group: batch, m, n, k
  SmallVector<Dims> tileGroups;                ///< loops of the epilogue by group: batch, m, n
  SmallVector<unsigned> loopOfGroup;           ///< the loop that replaces each group
  SmallVector<unsigned> lhs, rhs, out;         ///< groups of each operand, in order
  SmallVector<SmallVector<unsigned>> epilogue; ///< groups of each operand of the epilogue
  unsigned loops = 0;
};

std::optional<ContractionFormer::Form>
ContractionFormer::formOf(linalg::GenericOp contraction, const ContractionDims &dims, linalg::GenericOp epilogue) {
  Form form;
  form.groups = {dims.batch, dims.m, dims.n, dims.k};
  bool hasBatch = !dims.batch.empty();
  form.loopOfGroup = hasBatch ? SmallVector<unsigned>{0, 1, 2, 3} : SmallVector<unsigned>{0, 0, 1, 2};
  form.loops = hasBatch ? 4 : 3;
  SmallVector<AffineMap> maps = contraction.getIndexingMapsArray();
  auto lhs = splitIntoGroups(*plainDims(maps[dims.lhs]), form.groups);
  auto rhs = splitIntoGroups(*plainDims(maps[dims.rhs]), form.groups);
  auto out = splitIntoGroups(*plainDims(maps[2]), form.groups);
  if (!lhs || !rhs || !out)
    return std::nullopt;
  // The loops of the epilogue are the dimensions of the product, so its groups are numbered by these.
  form.tileGroups.resize(3);
  unsigned position = 0;
  for (unsigned group : *out)
    for (size_t i = 0; i < form.groups[group].size(); ++i)
      form.tileGroups[group].push_back(position++);
  // A vector is a matrix of one row.
  if (dims.m.empty())
    for (auto *order : {&*lhs, &*out})
      order->insert(order->begin() + hasBatch, Form::M);
  auto with = [&](unsigned first, unsigned second) {
    SmallVector<unsigned> order = {first, second};
    if (hasBatch)
      order.insert(order.begin(), Form::Batch);
    return order;
  };
  form.lhs = *lhs, form.rhs = *rhs, form.out = *out;
  if (form.lhs != with(Form::M, Form::K) || form.out != with(Form::M, Form::N) ||
      (form.rhs != with(Form::K, Form::N) && form.rhs != with(Form::N, Form::K)))
    return std::nullopt;
  if (epilogue)
    for (OpOperand *operand : epilogue.getDpsInputOperands()) {
      auto order = splitIntoGroups(*plainDims(epilogue.getMatchingIndexingMap(operand)), form.tileGroups);
      if (!order || !llvm::is_sorted(*order))
        return std::nullopt;
      form.epilogue.push_back(*order);
    }
  return form;
}

/// Creates the contraction over [batch,] M, N, K.
linalg::GenericOp ContractionFormer::buildProduct(linalg::GenericOp contraction, const ContractionDims &dims,
                                                  const Form &form) {
  OpBuilder builder(contraction);
  Location location = contraction.getLoc();
  Value empty = groupedEmpty(builder, contraction.getResult(0), groupingOf(form.out, form.groups), shapes);
  Value zero = arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(0));
  Value start = linalg::FillOp::create(builder, location, zero, empty).getResult(0);
  Value left = grouped(builder, contraction.getInputs()[dims.lhs], groupingOf(form.lhs, form.groups), shapes);
  Value right = grouped(builder, contraction.getInputs()[dims.rhs], groupingOf(form.rhs, form.groups), shapes);
  auto mapFor = [&](ArrayRef<unsigned> order) {
    return groupedMap(order, form.loopOfGroup, form.loops, contraction.getContext());
  };
  SmallVector<utils::IteratorType> iterators(form.loops, utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  return rebuildGeneric(builder, contraction, {left, right}, start,
                        {mapFor(form.lhs), mapFor(form.rhs), mapFor(form.out)}, iterators);
}

/// Creates the epilogue over [batch,] M, N.
linalg::GenericOp ContractionFormer::buildEpilogue(linalg::GenericOp epilogue, Value productBefore, Value product,
                                                   const Form &form) {
  OpBuilder builder(epilogue);
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  auto addMap = [&](ArrayRef<unsigned> order) {
    maps.push_back(groupedMap(order, form.loopOfGroup, form.loops - 1, epilogue.getContext()));
  };
  for (auto [operand, order] : llvm::zip(epilogue.getDpsInputOperands(), form.epilogue)) {
    if (operand->get() == productBefore) {
      inputs.push_back(product);
      addMap(form.out);
      continue;
    }
    bool isScalar = !isa<RankedTensorType>(operand->get().getType()) || order.empty();
    inputs.push_back(isScalar ? operand->get()
                              : grouped(builder, operand->get(), groupingOf(order, form.tileGroups), shapes));
    addMap(order);
  }
  for (Value whole : epilogue.getResults()) {
    inits.push_back(groupedEmpty(builder, whole, groupingOf(form.out, form.tileGroups), shapes));
    addMap(form.out);
  }
  SmallVector<utils::IteratorType> iterators(form.loops - 1, utils::IteratorType::parallel);
  return rebuildGeneric(builder, epilogue, inputs, inits, maps, iterators);
}

bool ContractionFormer::regroup(linalg::GenericOp contraction, const ContractionDims &dims, linalg::GenericOp epilogue,
                                GroupMark mark) {
  auto form = formOf(contraction, dims, epilogue);
  if (!form)
    return false;
  linalg::GenericOp product = buildProduct(contraction, dims, *form);
  markGroup(product, mark);
  linalg::GenericOp last = contraction, formed = product;
  if (epilogue) {
    last = epilogue;
    formed = buildEpilogue(epilogue, contraction.getResult(0), product.getResult(0), *form);
    markGroup(formed, mark);
  }
  OpBuilder builder(last);
  Grouping grouping = groupingOf(form->out, form->groups);
  for (auto [before, after] : llvm::zip(last.getResults(), formed.getResults()))
    before.replaceAllUsesWith(ungrouped(builder, after, before, grouping, shapes));
  last.erase();
  if (epilogue)
    contraction.erase();
  return true;
}

void ContractionFormer::run(llvm::function_ref<bool(linalg::GenericOp)> staysWindow) {
  liftFactors(function, shapes, staysWindow);
  SmallVector<linalg::GenericOp> contractions;
  function.walk([&](linalg::GenericOp op) {
    if (matchContraction(op))
      contractions.push_back(op);
  });
  int64_t next = nextGroupNumber(function);
  for (linalg::GenericOp contraction : llvm::reverse(contractions)) {
    auto dims = matchContraction(contraction);
    orderOperands(contraction, *dims);
    linalg::GenericOp epilogue = findEpilogue(contraction);
    GroupMark mark{next++, KernelKind::Gemm};
    if (epilogue)
      recordEpilogue(epilogue, contraction);
    if (regroup(contraction, *dims, epilogue, mark))
      continue;
    markGroup(contraction, mark);
    if (epilogue)
      markGroup(epilogue, mark);
  }
  joinEpilogues(staysWindow);
}

void ContractionFormer::recordEpilogue(linalg::GenericOp epilogue, linalg::GenericOp sum) {
  recordDecision(module, {true,
                          Reason::EpilogueFused,
                          placeOf(epilogue),
                          placeOf(sum),
                          shapes.text(shapes.bytes(sum.getResult(0))),
                          function.getName().str(),
                          false,
                          {}});
}

/// Divides each grouped product that sums over rows into a product of all rows and a sum of its rows.
void ContractionFormer::separateSummedRows() {
  SmallVector<linalg::GenericOp> products;
  function.walk([&](linalg::GenericOp op) {
    auto grouped = groupOf(op) ? std::nullopt : matchGroupedContraction(op);
    if (grouped && !grouped->summedRows.empty())
      products.push_back(op);
  });
  for (linalg::GenericOp op : products) {
    SmallVector<unsigned> summed = matchGroupedContraction(op)->summedRows;
    OpBuilder builder(op);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<AffineExpr> rows(maps.back().getResults());
    for (unsigned loop : summed) // before the columns
      rows.insert(rows.end() - 1, builder.getAffineDimExpr(loop));
    maps.back() = AffineMap::get(op.getNumLoops(), 0, rows, op.getContext());
    std::vector<SizeExpr> extents = loopExtents(op, shapes);
    SmallVector<OpFoldResult> sizes;
    SmallVector<unsigned> loopOfDimension = *plainDims(maps.back());
    for (unsigned loop : loopOfDimension)
      sizes.push_back(sizeOf(builder, op.getLoc(), extents[loop]));
    Value empty = tensor::EmptyOp::create(builder, op.getLoc(), sizes, builder.getF32Type());
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
    for (unsigned loop : summed)
      iterators[loop] = utils::IteratorType::parallel;
    Value zero = arith::ConstantOp::create(builder, op.getLoc(), builder.getF32FloatAttr(0));
    Value start = linalg::FillOp::create(builder, op.getLoc(), zero, empty).getResult(0);
    Value product = rebuildGeneric(builder, op, op.getInputs(), start, maps, iterators).getResult(0);
    unsigned rank = rows.size(), first = rank - 1 - summed.size();
    AffineMap all = builder.getMultiDimIdentityMap(rank), kept = all;
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    for (unsigned each = 0; each < summed.size(); ++each) {
      kept = kept.dropResult(first);
      loops[first + each] = utils::IteratorType::reduction;
    }
    auto sum = linalg::GenericOp::create(builder, op.getLoc(), op.getResultTypes(), product, op.getDpsInits(),
                                         ArrayRef<AffineMap>{all, kept}, loops,
                                         [](OpBuilder &body, Location location, ValueRange elements) {
                                           Value next = arith::AddFOp::create(body, location, elements[1], elements[0]);
                                           linalg::YieldOp::create(body, location, next);
                                         });
    op.replaceAllUsesWith(sum.getResults());
    op.erase();
  }
}

/// Marks each grouped product, with its epilogue, as a group of kind "gemm".
void ContractionFormer::groupSelectedProducts() {
  SmallVector<linalg::GenericOp> products;
  function.walk([&](linalg::GenericOp op) {
    if (!groupOf(op) && matchGroupedContraction(op))
      products.push_back(op);
  });
  int64_t next = nextGroupNumber(function);
  for (linalg::GenericOp product : llvm::reverse(products)) {
    GroupMark mark{next++, KernelKind::Gemm};
    if (linalg::GenericOp epilogue = findEpilogue(product)) {
      recordEpilogue(epilogue, product);
      markGroup(epilogue, mark);
    }
    markGroup(product, mark);
  }
}

/// Marks each grouped outer product, with the zeros that it starts from, as a group of kind "gemm".
void ContractionFormer::groupOuterProducts() {
  int64_t next = nextGroupNumber(function);
  function.walk([&](attn::ScatterAddOp product) {
    if (groupOf(product) || !matchGroupedOuterProduct(product))
      return;
    GroupMark mark{next++, KernelKind::Gemm};
    if (auto fill = product.getInit().getDefiningOp<linalg::FillOp>()) { // other products may start from it, too
      auto zeros = cast<linalg::FillOp>(OpBuilder(product).clone(*fill));
      product.getInitMutable().assign(zeros.getResult(0));
      markGroup(zeros, mark);
    }
    markGroup(product, mark);
  });
}

/// Groups each sum that remains a sum over windows with its epilogue.
void ContractionFormer::joinEpilogues(llvm::function_ref<bool(linalg::GenericOp)> staysWindow) {
  SmallVector<linalg::GenericOp> sums;
  function.walk([&](linalg::GenericOp op) {
    if (op.getNumReductionLoops() != 0 && op.getNumResults() == 1 && !groupOf(op) && !matchContraction(op) &&
        staysWindow(op))
      sums.push_back(op);
  });
  int64_t next = nextGroupNumber(function);
  for (linalg::GenericOp sum : sums)
    if (linalg::GenericOp epilogue = findEpilogue(sum)) {
      recordEpilogue(epilogue, sum);
      GroupMark mark{next++, KernelKind::Loops};
      markGroup(sum, mark);
      markGroup(epilogue, mark);
    }
}

namespace {

struct FormContractions : EmitterPass<FormContractions, impl::FormContractionsPassBase> {
  using EmitterPass::EmitterPass;
  void runFor(const Target &target) {
    FrozenRewritePatternSet reshapes = reshapePatterns(&getContext());
    RewritePatternSet starts(&getContext());
    linalg::FillOp::getCanonicalizationPatterns(starts, &getContext());
    tensor::populateFoldTensorEmptyPatterns(starts);
    FrozenRewritePatternSet startPatterns(std::move(starts));
    for (func::FuncOp function : hostFunctions(getOperation())) {
      dropUnitLoops(function);
      if (failed(applyPatternsGreedily(function, startPatterns)))
        return signalPassFailure();
      ContractionFormer former(getOperation(), function);
      former.run([&](linalg::GenericOp sum) { return sumsWindows(sum, target); });
      if (!target.isDevice) { // devices have no code for grouped products
        former.separateSummedRows();
        former.groupSelectedProducts();
        former.groupOuterProducts();
      }
      if (failed(applyPatternsGreedily(function, reshapes)))
        return signalPassFailure();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createFormContractionsPass(ArrayRef<std::unique_ptr<Emitter>> emitters, StringRef target) {
  return std::make_unique<FormContractions>(emitters, target);
}

} // namespace attnc
