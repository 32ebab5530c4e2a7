#include "compiler/Derive/SegmentScans.h"
#include "compiler/Analysis/LoopIterations.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Derive/Derive.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_SEGMENTSCANSPASS
#include "compiler/Derive/Passes.h.inc"
namespace {

/// A per-iteration list, and the order in which time steps access it.
struct StepList {
  Value list;
  IterationOrder order;
};

/// The per-iteration lists of a scan.
struct StepLists {
  llvm::MapVector<Operation *, StepList> read;          ///< by model.element
  llvm::MapVector<Operation *, unsigned> written;       ///< by model.with_element; number of the carried value
  llvm::SmallDenseMap<unsigned, IterationOrder> writeOrders; ///< by number of the carried value
};

/// Null if a time step writes to a list of which it has no element of its own.
std::optional<StepLists> findLists(scf::ForOp loop, SymbolicShapes &shapes) {
  StepLists lists;
  SizeExpr steps = shapes.size(loop.getUpperBound());
  auto isWhole = [&](Value list) { return shapes.extent(list, 0) == steps; };
  for (unsigned number = 0; number < loop.getNumRegionIterArgs(); ++number)
    if (model::WithElementOp writer = listWriter(loop, number, shapes); writer && isWhole(writer.getList())) {
      lists.written[writer] = number;
      lists.writeOrders[number] = iterationOrder(writer.getPlace(), loop, shapes);
    }
  for (auto writer : loop.getOps<model::WithElementOp>())
    if (!lists.written.contains(writer))
      return std::nullopt;
  for (auto element : loop.getOps<model::ElementOp>()) {
    IterationOrder order = iterationOrder(element.getPlace(), loop, shapes);
    if (order != IterationOrder::None && loop.isDefinedOutsideOfLoop(element.getList()) && isWhole(element.getList()))
      lists.read[element] = {element.getList(), order};
  }
  return lists;
}

/// Cuts one scan.
class ScanCutter {
public:
  ScanCutter(scf::ForOp loop, const StepLists &lists, int64_t length)
      : loop(loop), lists(lists), length(length), builder(loop), at(loop.getLoc()) {}

  void run() {
    Value steps = loop.getUpperBound();
    segments = builder.createOrFold<arith::DivUIOp>(at, steps, number(length));
    covered = builder.createOrFold<arith::MulIOp>(at, segments, number(length));
    remainder = builder.createOrFold<arith::SubIOp>(at, steps, covered);
    isDivisible = getConstantIntValue(remainder) == 0;
    SmallVector<Value> results = cutSteps();
    if (!isDivisible)
      results = remainingSteps(results);
    loop.replaceAllUsesWith(results);
    loop.erase();
  }

private:
  Value number(int64_t value) { return arith::ConstantIndexOp::create(builder, at, value); }

  /// `count` elements of a list, those of the first or of the last time steps.
  Value takeElements(const StepList &whole, bool isFirst, Value count) {
    if (isDivisible)
      return whole.list;
    bool fromStart = isFirst == (whole.order == IterationOrder::Ascending);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, at, whole.list);
    SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0)),
        strides(sizes.size(), builder.getIndexAttr(1));
    sizes[0] = getAsOpFoldResult(count);
    offsets[0] = getAsOpFoldResult(fromStart ? number(0) : isFirst ? remainder : covered);
    return tensor::ExtractSliceOp::create(builder, at, whole.list, offsets, sizes, strides);
  }

  /// Reassociation between [steps, ...] and [segments, length, ...].
  static SmallVector<ReassociationIndices> leadingGroups(int64_t rank) {
    SmallVector<ReassociationIndices> groups = {{0, 1}};
    for (int64_t dimension = 2; dimension <= rank; ++dimension)
      groups.push_back({dimension});
    return groups;
  }

  Value inSegments(Value list) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, at, list);
    int64_t rank = sizes.size();
    sizes[0] = builder.getIndexAttr(length);
    sizes.insert(sizes.begin(), getAsOpFoldResult(segments));
    SmallVector<int64_t> shape;
    for (OpFoldResult size : sizes)
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    auto type = RankedTensorType::get(shape, getElementTypeOrSelf(list.getType()));
    return tensor::ExpandShapeOp::create(builder, at, type, list, leadingGroups(rank), sizes);
  }

  /// An empty tensor like `list` with other leading sizes.
  Value emptyLike(Value list, ArrayRef<OpFoldResult> leading) {
    SmallVector<OpFoldResult> sizes(leading);
    llvm::append_range(sizes, ArrayRef(tensor::getMixedSizes(builder, at, list)).drop_front());
    return tensor::EmptyOp::create(builder, at, sizes, getElementTypeOrSelf(list.getType()));
  }

  /// A scan of `count` time steps from `first` on, after the last op built. `read` are the lists that it reads, in the
  /// order of lists.read; `inits` are the initial carried values.
  scf::ForOp makeScan(Value first, Value count, ArrayRef<Value> read, ArrayRef<Value> inits) {
    auto result = scf::ForOp::create(builder, at, number(0), count, number(1), inits);
    result->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    copyLocations(result);
    OpBuilder body = OpBuilder::atBlockEnd(result.getBody());
    IRMapping copies;
    copies.map(loop.getInductionVar(), body.createOrFold<arith::AddIOp>(at, first, result.getInductionVar()));
    copies.map(loop.getRegionIterArgs(), result.getRegionIterArgs());
    llvm::SmallDenseMap<Operation *, Value> listOf;
    for (auto [each, list] : llvm::zip_equal(lists.read, read))
      listOf[each.first] = list;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (auto element = dyn_cast<model::ElementOp>(op); element && lists.read.contains(element)) {
        Value position = elementIndex(lists.read.lookup(element).order, body, result);
        copies.map(element.getResult(), model::ElementOp::create(body, element.getLoc(), element.getResult().getType(),
                                                                 listOf[element], position));
      } else if (auto writer = dyn_cast<model::WithElementOp>(op)) {
        unsigned number = lists.written.lookup(writer);
        Value list = result.getRegionIterArg(number),
              position = elementIndex(lists.writeOrders.lookup(number), body, result);
        copies.map(writer.getResult(),
                   model::WithElementOp::create(body, writer.getLoc(), list.getType(),
                                                copies.lookup(writer.getElement()), list, position));
      } else {
        body.clone(op, copies);
      }
    }
    SmallVector<Value> next;
    for (Value yielded : loop.getYieldedValues())
      next.push_back(copies.lookupOrDefault(yielded));
    scf::YieldOp::create(body, at, next);
    return result;
  }

  /// Copies source locations of the carried values.
  void copyLocations(scf::ForOp result) {
    for (auto [from, to] : llvm::zip_equal(loop.getRegionIterArgs(), result.getRegionIterArgs()))
      to.setLoc(from.getLoc());
  }

  bool isList(unsigned carried) const { return lists.writeOrders.contains(carried); }

  /// Builds the loop over whole segments; returns its results.
  SmallVector<Value> cutSteps() {
    SmallVector<Value> read, inits;
    for (const auto &[element, list] : lists.read)
      read.push_back(inSegments(takeElements(list, /*isFirst=*/true, covered)));
    for (auto [carried, init] : llvm::enumerate(loop.getInits()))
      inits.push_back(isList(carried) ? emptyLike(init, {getAsOpFoldResult(segments), builder.getIndexAttr(length)})
                                      : init);
    auto outer = scf::ForOp::create(builder, at, number(0), segments, number(1), inits);
    outer->setAttr(segmentLoopAttrName, builder.getUnitAttr());
    copyLocations(outer);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(outer.getBody());
    SmallVector<Value> segmentLists, segmentInits, next;
    for (auto [each, list] : llvm::zip_equal(lists.read, read)) {
      auto type = cast<RankedTensorType>(list.getType());
      Value position = elementIndex(each.second.order, builder, outer);
      segmentLists.push_back(model::ElementOp::create(
          builder, at, RankedTensorType::get(type.getShape().drop_front(), type.getElementType()), list, position));
    }
    for (auto [carried, argument] : llvm::enumerate(outer.getRegionIterArgs()))
      segmentInits.push_back(isList(carried) ? emptyLike(loop.getInits()[carried], {builder.getIndexAttr(length)})
                                             : Value(argument));
    Value first = builder.createOrFold<arith::MulIOp>(at, outer.getInductionVar(), number(length));
    scf::ForOp inner = makeScan(first, number(length), segmentLists, segmentInits);
    for (auto [carried, argument] : llvm::enumerate(outer.getRegionIterArgs())) {
      Value result = inner.getResult(carried);
      next.push_back(isList(carried)
                         ? model::WithElementOp::create(builder, at, argument.getType(), result, argument,
                                                        elementIndex(lists.writeOrders.lookup(carried), builder, outer))
                         : result);
    }
    scf::YieldOp::create(builder, at, next);
    builder.setInsertionPointAfter(outer);
    return flattened(outer);
  }

  /// Results of the loop over segments, with lists flattened to lists of steps.
  SmallVector<Value> flattened(scf::ForOp outer) {
    SmallVector<Value> results;
    for (auto [carried, result] : llvm::enumerate(outer.getResults())) {
      auto type = cast<RankedTensorType>(loop.getResult(carried).getType());
      results.push_back(isList(carried)
                            ? tensor::CollapseShapeOp::create(builder, at, result, leadingGroups(type.getRank()))
                            : Value(result));
    }
    builder.setInsertionPoint(loop);
    return results;
  }

  /// Builds the scan of the remaining time steps, after the segments.
  SmallVector<Value> remainingSteps(ArrayRef<Value> before) {
    SmallVector<Value> read, inits, results;
    for (const auto &[element, list] : lists.read)
      read.push_back(takeElements(list, /*isFirst=*/false, remainder));
    for (auto [carried, value] : llvm::enumerate(before))
      inits.push_back(isList(carried) ? emptyLike(loop.getInits()[carried], {getAsOpFoldResult(remainder)}) : value);
    scf::ForOp rest = makeScan(covered, remainder, read, inits);
    for (auto [carried, result] : llvm::enumerate(rest.getResults())) {
      if (!isList(carried)) {
        results.push_back(result);
        continue;
      }
      SmallVector<Value> parts = {before[carried], result};
      if (lists.writeOrders.lookup(carried) == IterationOrder::Descending)
        std::swap(parts[0], parts[1]);
      Value whole = tensor::ConcatOp::create(builder, at, 0, parts);
      Type type = loop.getResult(carried).getType();
      results.push_back(whole.getType() == type ? whole : tensor::CastOp::create(builder, at, type, whole).getResult());
    }
    return results;
  }

  scf::ForOp loop;
  const StepLists &lists;
  int64_t length;
  OpBuilder builder;
  Location at;
  Value segments, covered, remainder; ///< number of whole segments, their steps, and the remaining steps
  bool isDivisible = false;
};

Attribute recordOf(scf::ForOp scan, SymbolicShapes &shapes, int64_t length, bool isCuttable) {
  Builder builder(scan.getContext());
  SmallVector<std::string> places = placesOf(scan.getLoc());
  SmallVector<NamedAttribute> fields;
  auto add = [&](StringRef name, Attribute field) { fields.push_back(builder.getNamedAttr(name, field)); };
  add("place", builder.getStringAttr(places.empty() ? "" : places.front()));
  add("steps", builder.getStringAttr(shapes.text(shapes.size(scan.getUpperBound()))));
  add("segment", builder.getI64IntegerAttr(length));
  if (isCuttable)
    add("cuttable", builder.getUnitAttr());
  return builder.getDictionaryAttr(fields);
}

struct SegmentScans : impl::SegmentScansPassBase<SegmentScans> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(model::gradientAttrName) && !function->hasAttr(model::minimizeAttrName))
        continue;
      auto lengths = dyn_cast_if_present<DenseI64ArrayAttr>(function->removeAttr(segmentsAttrName));
      segmentScans(function, lengths ? lengths.asArrayRef() : ArrayRef<int64_t>());
    }
  }
};

} // namespace

void segmentScans(func::FuncOp function, ArrayRef<int64_t> lengths) {
  SmallVector<scf::ForOp> scans;
  function.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (!loop->hasAttr(model::scanAttrName) || !hasCanonicalInductionVariable(loop))
      return WalkResult::advance();
    scans.push_back(loop);
    return WalkResult::skip(); // inner scans are recomputed with a step of the outer one
  });
  SmallVector<Attribute> records;
  for (auto [number, scan] : llvm::enumerate(scans)) {
    SymbolicShapes shapes(function);
    std::optional<StepLists> lists = findLists(scan, shapes);
    int64_t length = lists && number < lengths.size() ? lengths[number] : 0;
    records.push_back(recordOf(scan, shapes, length, lists.has_value()));
    if (length > 0)
      ScanCutter(scan, *lists, length).run();
  }
  if (!records.empty())
    function->setAttr(scansAttrName, ArrayAttr::get(function.getContext(), records));
}

std::vector<Scan> scansOf(func::FuncOp function) {
  std::vector<Scan> scans;
  auto records = function->getAttrOfType<ArrayAttr>(scansAttrName);
  auto dimensions = function->getAttrOfType<ArrayAttr>(model::dimensionsAttrName);
  if (!records || !dimensions)
    return scans;
  std::vector<std::string> names;
  for (auto dimension : dimensions.getAsRange<model::DimensionAttr>())
    names.push_back(dimension.getName().str());
  for (auto fields : records.getAsRange<DictionaryAttr>()) {
    std::optional<SizeExpr> steps = SizeExpr::parse(fields.getAs<StringAttr>("steps").getValue(), names);
    scans.push_back({fields.getAs<StringAttr>("place").str(), steps.value_or(SizeExpr()),
                     fields.getAs<IntegerAttr>("segment").getInt(), steps && fields.contains("cuttable")});
  }
  return scans;
}

} // namespace attnc
