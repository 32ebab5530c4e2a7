#include "compiler/Derive/SegmentScans.h"
#include "compiler/Analysis/LoopIterations.h"
#include "compiler/Analysis/SourceLocations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attnc {
namespace {

/// A list with an element for each step, and the order in which steps take them.
struct ListOfSteps {
  Value list;
  IterationOrder order;
};

/// What a scan has to do with lists.
struct Lists {
  llvm::MapVector<Operation *, ListOfSteps> read; ///< by model.element
  llvm::MapVector<Operation *, unsigned> written; ///< by model.with_element: the number of the carried value
  llvm::SmallDenseMap<unsigned, IterationOrder> ordersOfWriters; ///< by that number
};

/// Nothing where a step writes to a list of which it has no element of its own.
std::optional<Lists> listsOf(scf::ForOp loop, SymbolicShapes &shapes) {
  Lists lists;
  SizeExpr steps = shapes.size(loop.getUpperBound());
  auto isWhole = [&](Value list) { return shapes.extent(list, 0) == steps; };
  for (unsigned number = 0; number < loop.getNumRegionIterArgs(); ++number)
    if (model::WithElementOp writer = listWriter(loop, number, shapes); writer && isWhole(writer.getList())) {
      lists.written[writer] = number;
      lists.ordersOfWriters[number] = iterationOrder(writer.getPlace(), loop, shapes);
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
  ScanCutter(scf::ForOp loop, const Lists &lists, int64_t length)
      : loop(loop), lists(lists), length(length), builder(loop), at(loop.getLoc()) {}

  void run() {
    Value steps = loop.getUpperBound();
    segments = builder.createOrFold<arith::DivUIOp>(at, steps, number(length));
    covered = builder.createOrFold<arith::MulIOp>(at, segments, number(length));
    left = builder.createOrFold<arith::SubIOp>(at, steps, covered);
    nothingLeft = getConstantIntValue(left) == 0;
    SmallVector<Value> results = cutSteps();
    if (!nothingLeft)
      results = leftSteps(results);
    loop.replaceAllUsesWith(results);
    loop.erase();
  }

private:
  Value number(int64_t value) { return arith::ConstantIndexOp::create(builder, at, value); }

  /// `count` elements of a list, those of the first steps or of the last.
  Value part(const ListOfSteps &whole, bool ofFirst, Value count) {
    if (nothingLeft)
      return whole.list;
    bool fromStart = ofFirst == (whole.order == IterationOrder::Ascending);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, at, whole.list);
    SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0)),
        strides(sizes.size(), builder.getIndexAttr(1));
    sizes[0] = getAsOpFoldResult(count);
    offsets[0] = getAsOpFoldResult(fromStart ? number(0) : ofFirst ? left : covered);
    return tensor::ExtractSliceOp::create(builder, at, whole.list, offsets, sizes, strides);
  }

  /// [steps, ...] as [segments, length, ...] or back.
  static SmallVector<ReassociationIndices> leadingTwo(int64_t rank) {
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
    return tensor::ExpandShapeOp::create(builder, at, type, list, leadingTwo(rank), sizes);
  }

  /// A list like `list` with other leading sizes.
  Value emptyLike(Value list, ArrayRef<OpFoldResult> leading) {
    SmallVector<OpFoldResult> sizes(leading);
    llvm::append_range(sizes, ArrayRef(tensor::getMixedSizes(builder, at, list)).drop_front());
    return tensor::EmptyOp::create(builder, at, sizes, getElementTypeOrSelf(list.getType()));
  }

  /// `count` steps from `first` on, as a scan; `lists` are what is read, in the order of `read`, and `inits` what is
  /// carried. Behind the op that was built last.
  scf::ForOp steps(Value first, Value count, ArrayRef<Value> read, ArrayRef<Value> inits) {
    auto made = scf::ForOp::create(builder, at, number(0), count, number(1), inits);
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    keepPlaces(made);
    OpBuilder body = OpBuilder::atBlockEnd(made.getBody());
    IRMapping copies;
    copies.map(loop.getInductionVar(), body.createOrFold<arith::AddIOp>(at, first, made.getInductionVar()));
    copies.map(loop.getRegionIterArgs(), made.getRegionIterArgs());
    llvm::SmallDenseMap<Operation *, Value> listOf;
    for (auto [each, list] : llvm::zip_equal(lists.read, read))
      listOf[each.first] = list;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (auto element = dyn_cast<model::ElementOp>(op); element && lists.read.contains(element)) {
        Value place = elementIndex(lists.read.lookup(element).order, body, made);
        copies.map(element.getResult(), model::ElementOp::create(body, element.getLoc(), element.getResult().getType(),
                                                                 listOf[element], place));
      } else if (auto writer = dyn_cast<model::WithElementOp>(op)) {
        unsigned number = lists.written.lookup(writer);
        Value list = made.getRegionIterArg(number),
              place = elementIndex(lists.ordersOfWriters.lookup(number), body, made);
        copies.map(writer.getResult(), model::WithElementOp::create(body, writer.getLoc(), list.getType(),
                                                                    copies.lookup(writer.getElement()), list, place));
      } else {
        body.clone(op, copies);
      }
    }
    SmallVector<Value> next;
    for (Value yielded : loop.getYieldedValues())
      next.push_back(copies.lookupOrDefault(yielded));
    scf::YieldOp::create(body, at, next);
    return made;
  }

  /// What is carried has its places in the model.
  void keepPlaces(scf::ForOp made) {
    for (auto [from, to] : llvm::zip_equal(loop.getRegionIterArgs(), made.getRegionIterArgs()))
      to.setLoc(from.getLoc());
  }

  bool isList(unsigned carried) const { return lists.ordersOfWriters.contains(carried); }

  /// All whole segments; the results of the loop over them.
  SmallVector<Value> cutSteps() {
    SmallVector<Value> read, inits;
    for (const auto &[element, list] : lists.read)
      read.push_back(inSegments(part(list, /*ofFirst=*/true, covered)));
    for (auto [carried, init] : llvm::enumerate(loop.getInits()))
      inits.push_back(isList(carried) ? emptyLike(init, {getAsOpFoldResult(segments), builder.getIndexAttr(length)})
                                      : init);
    auto outer = scf::ForOp::create(builder, at, number(0), segments, number(1), inits);
    outer->setAttr(segmentLoopAttrName, builder.getUnitAttr());
    keepPlaces(outer);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(outer.getBody());
    SmallVector<Value> ofSegment, initsOfSegment, next;
    for (auto [each, list] : llvm::zip_equal(lists.read, read)) {
      auto type = cast<RankedTensorType>(list.getType());
      Value place = elementIndex(each.second.order, builder, outer);
      ofSegment.push_back(model::ElementOp::create(
          builder, at, RankedTensorType::get(type.getShape().drop_front(), type.getElementType()), list, place));
    }
    for (auto [carried, argument] : llvm::enumerate(outer.getRegionIterArgs()))
      initsOfSegment.push_back(isList(carried) ? emptyLike(loop.getInits()[carried], {builder.getIndexAttr(length)})
                                               : Value(argument));
    Value first = builder.createOrFold<arith::MulIOp>(at, outer.getInductionVar(), number(length));
    scf::ForOp inner = steps(first, number(length), ofSegment, initsOfSegment);
    for (auto [carried, argument] : llvm::enumerate(outer.getRegionIterArgs())) {
      Value result = inner.getResult(carried);
      next.push_back(isList(carried) ? model::WithElementOp::create(
                                           builder, at, argument.getType(), result, argument,
                                           elementIndex(lists.ordersOfWriters.lookup(carried), builder, outer))
                                     : result);
    }
    scf::YieldOp::create(builder, at, next);
    builder.setInsertionPointAfter(outer);
    return flattened(outer);
  }

  /// Results of the loop over segments with lists as lists of steps.
  SmallVector<Value> flattened(scf::ForOp outer) {
    SmallVector<Value> results;
    for (auto [carried, result] : llvm::enumerate(outer.getResults())) {
      auto type = cast<RankedTensorType>(loop.getResult(carried).getType());
      results.push_back(isList(carried)
                            ? tensor::CollapseShapeOp::create(builder, at, result, leadingTwo(type.getRank()))
                            : Value(result));
    }
    builder.setInsertionPoint(loop);
    return results;
  }

  /// The steps that are left over, behind the segments' results.
  SmallVector<Value> leftSteps(ArrayRef<Value> before) {
    SmallVector<Value> read, inits, results;
    for (const auto &[element, list] : lists.read)
      read.push_back(part(list, /*ofFirst=*/false, left));
    for (auto [carried, value] : llvm::enumerate(before))
      inits.push_back(isList(carried) ? emptyLike(loop.getInits()[carried], {getAsOpFoldResult(left)}) : value);
    scf::ForOp rest = steps(covered, left, read, inits);
    for (auto [carried, result] : llvm::enumerate(rest.getResults())) {
      if (!isList(carried)) {
        results.push_back(result);
        continue;
      }
      SmallVector<Value> parts = {before[carried], result};
      if (lists.ordersOfWriters.lookup(carried) == IterationOrder::Descending)
        std::swap(parts[0], parts[1]);
      Value whole = tensor::ConcatOp::create(builder, at, 0, parts);
      Type type = loop.getResult(carried).getType();
      results.push_back(whole.getType() == type ? whole : tensor::CastOp::create(builder, at, type, whole).getResult());
    }
    return results;
  }

  scf::ForOp loop;
  const Lists &lists;
  int64_t length;
  OpBuilder builder;
  Location at;
  Value segments, covered, left; ///< whole segments, their steps, and the steps behind them
  bool nothingLeft = false;
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

struct SegmentScans : PassWrapper<SegmentScans, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SegmentScans)
  StringRef getArgument() const final { return "attn-segment-scans"; }
  StringRef getDescription() const final { return "cut scans into segments, which their reverses compute again"; }

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
    return WalkResult::skip(); // what is in a step of it is computed again with the step
  });
  SmallVector<Attribute> records;
  for (auto [number, scan] : llvm::enumerate(scans)) {
    SymbolicShapes shapes(function);
    std::optional<Lists> lists = listsOf(scan, shapes);
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

std::unique_ptr<Pass> createSegmentScansPass() { return std::make_unique<SegmentScans>(); }

} // namespace attnc
