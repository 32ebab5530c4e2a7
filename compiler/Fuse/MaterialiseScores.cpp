//===- MaterialiseScores.cpp - attn-materialise-scores ------------------------------------------------------------===//
//
// Writes attention as plain tensor code if a strategy refuses it as one op (`attention-fused`, RefusedFusions.h): the
// inverse of attn-raise-attention.
//
// Precondition: gradients of attention are derived. Postcondition: no refused attend, except those without an
// equivalent in plain code, for each of which a decision is recorded.
//
//   %y = attn.attend softmax outer(%b, %n) keys(%n) ...     %r = generic sum_d q[b, i, d] * k[b, j, d]    [b, n, n]
//     score { reduce add { q * k } / c }                    %s = generic select(j <= i, r / c, -inf)      [b, n, n]
//     mask  { j <= i }                               →      %m = generic max_j s,  %e = generic exp(s - m)
//     value { v[b, j, d] }                                  %z = generic sum_j e,  %p = generic e / z     [b, n, n]
//                                                           %y = generic sum_j p[b, i, j] * v[b, j, d]
//
// A row without unmasked keys becomes zeros, as in attention. The values of masked pairs are multiplied by zero: a NaN
// among them reaches the result, as in plain tensor code.
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/DataSubscripts.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/RefusedFusions.h"
#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Fuse/Fuse.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include <limits>

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_MATERIALISESCORESPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A tensor whose dimensions are indices of the attend (outer, keys, values, features of a sum).
struct Indexed {
  Value tensor;
  SmallVector<unsigned> dims;
};

/// Operand of a computation: an element of a tensor, or a value of a region with the arguments that are its indices.
struct Part {
  Indexed element;
  Region *region = nullptr;
  Value root;
  SmallVector<Value> indices; ///< by number; null if the region has no such index

  Part(Indexed element) : element(std::move(element)) {}
  Part(Region &region, Value root, SmallVector<Value> indices)
      : region(&region), root(root), indices(std::move(indices)) {}
};

/// The ops that compute a value of a region, in order, and the elements that they load.
struct Formula {
  llvm::SetVector<Operation *> ops;
  llvm::MapVector<Value, Indexed> elements;
  llvm::SmallBitVector used; ///< the indices that the value depends on
};

class ScoreMaterialiser {
public:
  explicit ScoreMaterialiser(attn::AttendOp attend)
      : attend(attend), builder(attend), location(attend.getLoc()), outer(attend.getNumOuter()),
        pairs(outer + attend.getNumKeys()), shapes(attend->getParentOfType<func::FuncOp>()) {
    for (ValueRange each : {attend.getOuterSizes(), attend.getKeySizes(), attend.getValueSizes()})
      llvm::append_range(sizes, each);
  }

  /// Returns the reason why the attend has no equivalent in plain tensor code; empty if it has one.
  std::string whyNot();
  void run();

private:
  using Body = llvm::function_ref<Value(OpBuilder &, ValueRange parts, Value before)>;

  static SmallVector<unsigned> range(unsigned from, unsigned to) { return llvm::to_vector(llvm::seq(from, to)); }
  Value constant(OpBuilder &at, double value) {
    return arith::ConstantOp::create(at, location, at.getF32FloatAttr(float(value)));
  }
  Value emptyOf(ArrayRef<unsigned> dims);
  bool isReadWhole(Value tensor, ArrayRef<unsigned> dims);
  void collect(Value value, const Part &part, Formula &formula);
  Formula formulaOf(const Part &part);
  Indexed compute(ArrayRef<Part> parts, ArrayRef<unsigned> dims, ArrayRef<unsigned> reduced, double start, Body body);
  SmallVector<Value> indicesOf(Region &region);
  Part whole(Region &region) { return {region, region.front().getTerminator()->getOperand(0), indicesOf(region)}; }
  void sumFeatures(Region &region);
  Indexed scores();
  Indexed probabilities(const Indexed &scores);
  Indexed weights(const Indexed &probabilities);
  Indexed valueOf(const Indexed &weights);
  Indexed logOfSum();

  attn::AttendOp attend;
  OpBuilder builder;
  Location location;
  unsigned outer, pairs;
  SymbolicShapes shapes;
  SmallVector<Value> sizes;
  llvm::DenseMap<Value, Indexed> computed; ///< sums over features, and the attention weight
  Indexed largest, total;                  ///< of each row: the largest score, the sum of exponentials
};

} // namespace

/// True if `tensor` is a cache, whose elements after its length are undefined, or copies elements of a cache.
static bool isFromCache(Value tensor) {
  SmallVector<Value> worklist = {tensor};
  llvm::DenseSet<Value> seen;
  auto isAppended = [](Value list) {
    auto appendsTo = [&](Operation *user) {
      auto append = dyn_cast<model::AppendOp>(user);
      return append && append.getCache() == list;
    };
    return isa_and_present<model::AppendOp>(list.getDefiningOp()) || llvm::any_of(list.getUsers(), appendsTo);
  };
  while (!worklist.empty()) {
    Value each = skipFreeViews(worklist.pop_back_val());
    if (!seen.insert(each).second)
      continue;
    auto element = each.getDefiningOp<model::ElementOp>();
    if (isAppended(element ? element.getList() : each))
      return true;
    if (auto concat = each.getDefiningOp<tensor::ConcatOp>())
      llvm::append_range(worklist, concat.getInputs());
    if (auto generic = each.getDefiningOp<linalg::GenericOp>()) {
      llvm::append_range(worklist, generic.getDpsInputs());
      generic.walk([&](tensor::ExtractOp extract) { worklist.push_back(extract.getTensor()); });
    }
  }
  return false;
}

static bool readsCache(Region &region) {
  return region
      .walk([&](tensor::ExtractOp extract) {
        return isFromCache(extract.getTensor()) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

std::string ScoreMaterialiser::whyNot() {
  if (attend.getNormaliser() != attn::Normaliser::Softmax)
    return "its normaliser is not softmax";
  if (!attend.getSink().empty())
    return "it has a sink";
  for (attn::Statistic statistic : attend.getStatistics())
    if (statistic != attn::Statistic::Value && statistic != attn::Statistic::Weights &&
        statistic != attn::Statistic::Lse)
      return std::string("it yields ") + attn::infoOf(statistic).word;
  for (Region *region : {&attend.getScore(), &attend.getMask(), &attend.getWeight(), &attend.getValue()}) {
    if (readsByData(*region))
      return "its formulas read at subscripts that come from data";
    // Zero times NaN is NaN.
    if (!attend.getMask().empty() && readsCache(*region))
      return "it is masked and reads a cache: plain code would multiply by 0 rows that are not written yet, which may "
             "be NaN";
    for (auto reduce : region->getOps<attn::ReduceOp>())
      if (!reduce.getBody().getOps<attn::ReduceOp>().empty() || reduce.getCombine() != attn::Combine::Add)
        return "its formulas have reductions that are not plain sums";
  }
  return "";
}

//===-------------------------------------------- formulas as ops ---------------------------------------------===//

Value ScoreMaterialiser::emptyOf(ArrayRef<unsigned> dims) {
  SmallVector<OpFoldResult> extents;
  for (unsigned dim : dims)
    extents.push_back(getAsOpFoldResult(sizes[dim]));
  return tensor::EmptyOp::create(builder, location, extents, builder.getF32Type());
}

/// True if the indices run over the whole tensor, as the loops of an operand do.
bool ScoreMaterialiser::isReadWhole(Value tensor, ArrayRef<unsigned> dims) {
  return llvm::all_of(llvm::enumerate(dims),
                      [&](auto dim) { return shapes.extent(tensor, dim.index()) == shapes.size(sizes[dim.value()]); });
}

void ScoreMaterialiser::collect(Value value, const Part &part, Formula &formula) {
  if (auto index = llvm::find(part.indices, value); value && index != part.indices.end()) {
    formula.used.set(index - part.indices.begin());
    return;
  }
  if (auto found = computed.find(value); found != computed.end()) {
    formula.elements.insert(*found);
    for (unsigned dim : found->second.dims)
      formula.used.set(dim);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (!op || !part.region->isAncestor(op->getParentRegion()) || formula.ops.contains(op))
    return;
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<unsigned> dims;
    for (Value subscript : extract.getIndices())
      if (auto found = llvm::find(part.indices, subscript); found != part.indices.end())
        if (unsigned dim = found - part.indices.begin(); !llvm::is_contained(dims, dim))
          dims.push_back(dim);
    if (dims.size() == extract.getIndices().size() && isReadWhole(extract.getTensor(), dims)) {
      formula.elements.insert({value, {extract.getTensor(), dims}});
      for (unsigned dim : dims)
        formula.used.set(dim);
      return;
    }
  }
  for (Value operand : op->getOperands())
    collect(operand, part, formula);
  formula.ops.insert(op);
}

Formula ScoreMaterialiser::formulaOf(const Part &part) {
  Formula formula;
  formula.used.resize(sizes.size());
  if (part.root)
    collect(part.root, part, formula);
  return formula;
}

/// Clones the values of the parts into an op over `loops`, whose `arguments` are the elements that the parts read.
static SmallVector<Value> partsAt(OpBuilder &at, Location location, ArrayRef<Part> parts, ArrayRef<Formula> formulas,
                                  ArrayRef<unsigned> loops, ValueRange arguments) {
  SmallVector<Value> values;
  size_t next = 0;
  for (auto [part, formula] : llvm::zip(parts, formulas)) {
    if (!part.root) {
      values.push_back(arguments[next++]);
      continue;
    }
    IRMapping mapping;
    for (auto &[value, element] : formula.elements)
      mapping.map(value, arguments[next++]);
    for (auto [dim, index] : llvm::enumerate(part.indices))
      if (index && formula.used.test(dim))
        mapping.map(index, linalg::IndexOp::create(at, location, llvm::find(loops, dim) - loops.begin()).getResult());
    for (Operation *op : formula.ops)
      at.clone(*op, mapping);
    values.push_back(mapping.lookupOrDefault(part.root));
  }
  return values;
}

/// Creates one op over the result's loops `dims` and the reduction loops `reduced`.
Indexed ScoreMaterialiser::compute(ArrayRef<Part> parts, ArrayRef<unsigned> dims, ArrayRef<unsigned> reduced,
                                   double start, Body body) {
  SmallVector<unsigned> loops(dims);
  loops.append(reduced.begin(), reduced.end());
  llvm::SmallBitVector covered(sizes.size());
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  MLIRContext *context = builder.getContext();
  auto mapOf = [&](ArrayRef<unsigned> of) {
    SmallVector<AffineExpr> exprs;
    for (unsigned dim : of) {
      exprs.push_back(getAffineDimExpr(llvm::find(loops, dim) - loops.begin(), context));
      covered.set(dim);
    }
    return AffineMap::get(loops.size(), 0, exprs, context);
  };
  auto addInput = [&](const Indexed &from) {
    inputs.push_back(from.tensor);
    maps.push_back(mapOf(from.dims));
  };
  SmallVector<Formula> formulas;
  for (const Part &part : parts) {
    formulas.push_back(formulaOf(part));
    if (!part.root)
      addInput(part.element);
    for (auto &[value, element] : formulas.back().elements)
      addInput(element);
  }
  Value out = emptyOf(dims);
  if (!reduced.empty())
    out = linalg::FillOp::create(builder, location, constant(builder, start), out).getResult(0);
  AffineMap outMap = mapOf(dims);
  // A loop without an operand gets its extent from an unused operand.
  SmallVector<unsigned> open;
  llvm::copy_if(loops, std::back_inserter(open), [&](unsigned dim) { return !covered.test(dim); });
  if (!open.empty())
    addInput({emptyOf(open), open});
  maps.push_back(outMap);
  SmallVector<utils::IteratorType> iterators(dims.size(), utils::IteratorType::parallel);
  iterators.append(reduced.size(), utils::IteratorType::reduction);
  auto write = [&](OpBuilder &at, Location, ValueRange arguments) {
    SmallVector<Value> values = partsAt(at, location, parts, formulas, loops, arguments);
    linalg::YieldOp::create(at, location, body(at, values, arguments.back()));
  };
  auto generic = linalg::GenericOp::create(builder, location, out.getType(), inputs, out, maps, iterators, write);
  return {generic.getResult(0), SmallVector<unsigned>(dims)};
}

/// Returns the arguments of a region by the numbers of their indices.
SmallVector<Value> ScoreMaterialiser::indicesOf(Region &region) {
  bool isWeight = &region == &attend.getWeight();
  return SmallVector<Value>(llvm::drop_begin(region.getArguments(), isWeight));
}

/// Computes each sum over features of a region as a tensor over the indices that it depends on.
void ScoreMaterialiser::sumFeatures(Region &region) {
  if (region.empty())
    return;
  for (auto reduce : region.getOps<attn::ReduceOp>()) {
    SmallVector<Value> indices = indicesOf(region);
    indices.resize(sizes.size());
    size_t before = sizes.size();
    llvm::append_range(indices, reduce.getBody().getArguments());
    llvm::append_range(sizes, reduce.getSizes());
    Part part(region, reduce.getBody().front().getTerminator()->getOperand(0), indices);
    // Values of the enclosing region are recomputed inside the sum.
    Formula formula = formulaOf(part);
    SmallVector<unsigned> dims;
    for (unsigned dim : range(0, before))
      if (formula.used.test(dim))
        dims.push_back(dim);
    computed[reduce.getResult()] =
        compute(part, dims, range(before, sizes.size()), 0, [&](OpBuilder &at, ValueRange parts, Value sum) {
          return arith::AddFOp::create(at, location, sum, parts[0]).getResult();
        });
  }
}

//===-------------------------------------------- attention ---------------------------------------------------===//

Indexed ScoreMaterialiser::scores() {
  SmallVector<Part> parts = {whole(attend.getScore())};
  if (!attend.getMask().empty())
    parts.push_back(whole(attend.getMask()));
  return compute(parts, range(0, pairs), {}, 0, [&](OpBuilder &at, ValueRange values, Value) -> Value {
    if (values.size() == 1)
      return values[0];
    return arith::SelectOp::create(at, location, values[1], values[0], constant(at, -infinity));
  });
}

/// Computes exp(s - max) divided by the row's sum of exponentials; zeros in rows whose scores are all -inf.
Indexed ScoreMaterialiser::probabilities(const Indexed &scores) {
  SmallVector<unsigned> rows = range(0, outer), keys = range(outer, pairs), all = range(0, pairs);
  largest = compute(Part(scores), rows, keys, -infinity, [&](OpBuilder &at, ValueRange values, Value most) {
    return arith::MaximumFOp::create(at, location, most, values[0]).getResult();
  });
  Indexed exponentials = compute({scores, largest}, all, {}, 0, [&](OpBuilder &at, ValueRange values, Value) -> Value {
    Value isNone = arith::CmpFOp::create(at, location, arith::CmpFPredicate::OEQ, values[1], constant(at, -infinity));
    Value less = arith::SelectOp::create(at, location, isNone, constant(at, 0), values[1]);
    return math::ExpOp::create(at, location, arith::SubFOp::create(at, location, values[0], less));
  });
  total = compute(Part(exponentials), rows, keys, 0, [&](OpBuilder &at, ValueRange values, Value sum) {
    return arith::AddFOp::create(at, location, sum, values[0]).getResult();
  });
  return compute({exponentials, total}, all, {}, 0, [&](OpBuilder &at, ValueRange values, Value) -> Value {
    Value isNone = arith::CmpFOp::create(at, location, arith::CmpFPredicate::OEQ, values[1], constant(at, 0));
    Value quotient = arith::DivFOp::create(at, location, values[0], values[1]);
    return arith::SelectOp::create(at, location, isNone, constant(at, 0), quotient);
  });
}

/// Applies the weight formula to attention weights; masked pairs have weight 0.
Indexed ScoreMaterialiser::weights(const Indexed &probabilities) {
  Region &weight = attend.getWeight();
  if (weight.empty())
    return probabilities;
  computed[weight.getArgument(0)] = probabilities;
  sumFeatures(weight);
  SmallVector<Part> parts = {whole(weight)};
  if (!attend.getMask().empty())
    parts.push_back(whole(attend.getMask()));
  return compute(parts, range(0, pairs), {}, 0, [&](OpBuilder &at, ValueRange values, Value) -> Value {
    if (values.size() == 1)
      return values[0];
    return arith::SelectOp::create(at, location, values[1], values[0], constant(at, 0));
  });
}

Indexed ScoreMaterialiser::valueOf(const Indexed &weights) {
  SmallVector<unsigned> dims = range(0, outer);
  dims.append(range(pairs, pairs + attend.getNumValues()));
  if (auto layout = attend.getValueLayout()) {
    SmallVector<unsigned> before = dims;
    for (auto [dim, from] : llvm::enumerate(*layout))
      dims[dim] = before[from];
  }
  return compute({weights, whole(attend.getValue())}, dims, range(outer, pairs), 0,
                 [&](OpBuilder &at, ValueRange values, Value sum) {
                   Value term = arith::MulFOp::create(at, location, values[0], values[1]);
                   return arith::AddFOp::create(at, location, sum, term).getResult();
                 });
}

Indexed ScoreMaterialiser::logOfSum() {
  return compute({largest, total}, range(0, outer), {}, 0, [&](OpBuilder &at, ValueRange values, Value) -> Value {
    Value isNone = arith::CmpFOp::create(at, location, arith::CmpFPredicate::OEQ, values[0], constant(at, -infinity));
    Value log = math::LogOp::create(at, location, values[1]);
    Value sum = arith::AddFOp::create(at, location, values[0], log);
    return arith::SelectOp::create(at, location, isNone, values[0], sum);
  });
}

void ScoreMaterialiser::run() {
  for (Region *region : {&attend.getScore(), &attend.getMask(), &attend.getValue()})
    sumFeatures(*region);
  Indexed attentionWeights = weights(probabilities(scores()));
  for (auto [statistic, result] : llvm::zip(attend.getStatistics(), attend.getResults())) {
    Value replacement = statistic == attn::Statistic::Value     ? valueOf(attentionWeights).tensor
                        : statistic == attn::Statistic::Weights ? attentionWeights.tensor
                                                                : logOfSum().tensor;
    if (replacement.getType() != result.getType())
      replacement = tensor::CastOp::create(builder, location, result.getType(), replacement);
    result.replaceAllUsesWith(replacement);
  }
  attend.erase();
}

//===-------------------------------------------- the pass ----------------------------------------------------===//

namespace {

struct MaterialiseScores : impl::MaterialiseScoresPassBase<MaterialiseScores> {
  void runOnOperation() override {
    for (func::FuncOp function : hostFunctions(getOperation())) {
      SmallVector<attn::AttendOp> attends;
      function.walk([&](attn::AttendOp attend) {
        if (isRefused(attentionFused, attend, attend))
          attends.push_back(attend);
      });
      for (attn::AttendOp attend : attends)
        if (ScoreMaterialiser materialiser(attend); materialiser.whyNot().empty())
          materialiser.run();
        else
          remark(attend, "its scores are not materialised: " + materialiser.whyNot());
      function.walk([&](attn::AttendGradientOp gradient) {
        if (isRefused(attentionFused, gradient, gradient))
          remark(gradient, "its gradient stays fused: plain tensor code can't express it");
      });
    }
  }

  static void remark(Operation *op, const Twine &text) {
    if (!op->getParentOfType<func::FuncOp>()->hasAttr(uncalledAttrName))
      op->emitRemark() << text;
  }
};

} // namespace

} // namespace attnc
