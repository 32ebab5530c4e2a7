#include "compiler/Derive/Incremental/ChunkWriter.h"
#include "compiler/Derive/Incremental/ChunkCarried.h"
#include "compiler/Derive/Incremental/ChunkRings.h"

using namespace mlir;

namespace attnc {

//===-------------------------------------------- ports -------------------------------------------------------===//

Port ChunkWriter::chunkPort(Value value, std::string name) {
  Port port{typeOf(value), std::move(name), {}};
  if (isPerRow(value))
    port.shape.push_back(dims.rowName);
  std::optional<unsigned> position = dims.positionDim(value);
  for (auto [dim, extent] : llvm::enumerate(dims.shapes.shape(value)))
    port.shape.push_back(isStep && position == dim ? "1" : dims.shapes.text(extent));
  return port;
}

/// The dimension of positions of a cache that is not a list.
unsigned ChunkWriter::cacheDim(const RetainedValue &cache) {
  if (cache.isCarried)
    return carriedDim(*this, cache);
  return *dims.positionDim(cache.value) + (isPerRow(cache.value) ? 1 : 0);
}

Port ChunkWriter::cachePort(const RetainedValue &cache) {
  Port port = chunkPort(cache.value, cache.name);
  unsigned position = cacheDim(cache);
  auto element = cast<RankedTensorType>(port.type);
  SmallVector<int64_t> shape(element.getShape());
  if (cache.isCarried) {
    shape.insert(shape.begin() + position, 1);
    port.shape.insert(port.shape.begin() + position, "1");
  }
  int64_t size = cache.isRing() ? cache.ringSize : plan.isPaged() ? plan.blockSize : ShapedType::kDynamic;
  shape[position] = size;
  port.shape[position] = ShapedType::isDynamic(size) ? plan.capacityName : std::to_string(size);
  if (plan.isPaged())
    port.shape[*rowDimHere(cache.value)] = plan.blocksName;
  port.type = listOf(cache, RankedTensorType::get(shape, element.getElementType()));
  port.shape = listShape(cache, port.shape);
  port.isState = true;
  return port;
}

Port ChunkWriter::precomputedPort(const RetainedValue &given) {
  Port port = chunkPort(given.value, given.name);
  return {listOf(given, cast<RankedTensorType>(port.type)), port.name, listShape(given, port.shape)};
}

/// An argument with a number for each row.
Port ChunkWriter::lengthPort(StringRef name) {
  SmallVector<int64_t> shape;
  SmallVector<std::string> names;
  if (dims.hasRows()) {
    shape.push_back(ShapedType::kDynamic);
    names.push_back(dims.rowName);
  }
  return {RankedTensorType::get(shape, builder.getI32Type()), name.str(), names};
}

/// The blocks of each row.
Port ChunkWriter::tablePort() {
  Port port = lengthPort(plan.tableName);
  port.type = RankedTensorType::get({ShapedType::kDynamic, ShapedType::kDynamic}, builder.getI32Type());
  port.shape.push_back(plan.rowBlocksName);
  return port;
}

//===-------------------------------------------- the function ------------------------------------------------===//

/// The dimensions of f and those of caches.
std::vector<model::DimensionAttr> ChunkWriter::dimensionsHere() {
  std::vector<model::DimensionAttr> dimensions = oldDimensions();
  auto add = [&](const std::string &name, int64_t max, int64_t min) {
    dimensions.push_back(model::DimensionAttr::get(builder.getContext(), builder.getStringAttr(name), max, min));
  };
  auto along = *llvm::find_if(dimensions, [&](auto each) { return each.getName() == dims.alongName; });
  add(plan.capacityName, along.getMax(), along.getMin());
  add(plan.rowBlocksName, along.getMax() < 0 ? -1 : along.getMax() / std::max<int64_t>(1, plan.blockSize), 0);
  add(plan.blocksName, -1, 1); // a clamped block is in range
  return dimensions;
}

void ChunkWriter::writeArguments() {
  SmallVector<Port> ports;
  SmallVector<BlockArgument> copied;
  for (BlockArgument argument : old.getArguments())
    if (dims.positionDim(argument) || plan.plainArguments.contains(argument)) {
      copied.push_back(argument);
      ports.push_back(chunkPort(argument, port(argument).name));
    }
  ports.push_back(lengthPort(plan.lengthName));
  bool hasCount = (plan.hasRings() || plan.isPaged()) && !isStep;
  if (hasCount)
    ports.push_back(lengthPort(plan.countName));
  if (plan.isPaged())
    ports.push_back(tablePort());
  for (const RetainedValue &given : plan.given)
    ports.push_back(precomputedPort(given));
  for (const RetainedValue &cache : plan.caches)
    ports.push_back(cachePort(cache));

  create(ports, dimensionsHere());
  if (plan.isPaged())
    result->setAttr(model::pagedAttrName, builder.getI64IntegerAttr(plan.blockSize));
  if (plan.maxTruncation)
    result->setAttr(model::takeBackAttrName, builder.getI64IntegerAttr(*plan.maxTruncation));
  auto next = result.getArguments().begin();
  for (BlockArgument argument : copied)
    values.map(argument, *next++);
  length = *next++;
  if (hasCount)
    count = *next++;
  if (plan.isPaged()) {
    table = *next++;
    Value entries = tensor::DimOp::create(builder, result.getLoc(), table, 1);
    Value size = arith::ConstantIndexOp::create(builder, result.getLoc(), plan.blockSize);
    capacity = arith::MulIOp::create(builder, result.getLoc(), entries, size);
  }
  for (const RetainedValue &given : plan.given)
    lists[given.value] = *next++;
  for (const RetainedValue &cache : plan.caches) {
    Value argument = caches.emplace_back(*next++);
    if (!capacity && !cache.isRing())
      capacity =
          tensor::DimOp::create(builder, result.getLoc(), argument, cacheDim(cache) + (cache.loops.empty() ? 0 : 1));
  }
  if (isStep)
    symbolSizes[dims.alongSymbol] = arith::ConstantIndexOp::create(builder, result.getLoc(), 1);
}

void ChunkWriter::write() {
  writeArguments();
  for (BlockArgument argument : old.getArguments())
    append(argument);
  writeBlock(old.front());
  writeReturn();
}

void ChunkWriter::writeReturn() {
  SmallVector<Port> ports;
  SmallVector<Value> returned;
  for (auto [number, value] : llvm::enumerate(old.front().getTerminator()->getOperands())) {
    ports.push_back(chunkPort(value, old.getResultAttrOfType<StringAttr>(number, model::nameAttrName).str()));
    returned.push_back(tensor(value));
  }
  for (auto [cache, value] : llvm::zip_equal(plan.caches, caches)) {
    ports.push_back(cachePort(cache));
    returned.push_back(value);
  }
  finish(ports, returned);
}

void ChunkWriter::writeBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      writeLoop(loop);
    } else if (llvm::none_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>)) {
      writeScalar(op);
    } else if (llvm::none_of(op.getResults(), [&](Value result) { return analysis.fact(result).isGiven(); })) {
      ops.write(op);
    }
    for (Value result : op.getResults())
      append(result);
  }
}

/// Appends the value's positions of the call to its cache, for readers of earlier positions.
void ChunkWriter::append(Value value) {
  auto retained = llvm::find_if(plan.caches, [&](const RetainedValue &each) { return each.value == value; });
  if (retained == plan.caches.end() || retained->isCarried)
    return;
  Value &cache = caches[retained - plan.caches.begin()];
  Value rows = tensor(value), index = elementIndex(*retained, value.getLoc());
  unsigned shift = isPerRow(value) ? 1 : 0;
  IntegerAttr along = builder.getI64IntegerAttr(*dims.positionDim(value) + shift), row;
  if (dims.hasRows())
    row = builder.getI64IntegerAttr(*rowDimHere(value));
  auto element = [&]() -> Value {
    if (!index)
      return cache;
    auto list = cast<RankedTensorType>(cache.getType());
    auto type = RankedTensorType::get(list.getShape().drop_front(), list.getElementType());
    return model::ElementOp::create(builder, value.getLoc(), type, cache, index);
  };
  bool joinsEarlier = retained->isRing() && !isStep;
  if (joinsEarlier)
    cacheContents[value] = prependEarlier(*this, rows, element(), *retained);
  cache = model::AppendOp::create(builder, value.getLoc(), cache.getType(), rows, cache, length, index, count, table,
                                  /*step=*/Value(), /*steps=*/Value(), along, row,
                                  retained->isRing() ? builder.getUnitAttr() : UnitAttr());
  if (!joinsEarlier)
    cacheContents[value] = element();
}

/// Whether `loop` is the scan that carries the value of a cache from time step to time step.
static bool carries(scf::ForOp loop, const RetainedValue &cache) {
  return cache.isCarried && cache.value.getDefiningOp() == loop;
}

/// The value with which carried value `number` of a loop starts here: in a scan along the positions, the state.
Value ChunkWriter::startOf(scf::ForOp loop, unsigned number) {
  Value initial = loop.getInits()[number];
  const RetainedValue *state = plan.cache(loop.getResult(number));
  return state && carries(loop, *state) ? carriedBefore(*this, *state, caches[state - plan.caches.data()], initial)
                                        : tensor(initial, isPerRow(loop.getRegionIterArg(number)));
}

/// Writes a loop with the caches of its values as further carried values. In each time step of a scan along the
/// positions, carried values are appended to their states.
void ChunkWriter::writeLoop(scf::ForOp loop) {
  SmallVector<Value> inits, next;
  SmallVector<unsigned> carried, retained;
  for (auto [number, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (!analysis.fact(argument).isGiven()) {
      carried.push_back(number);
      inits.push_back(startOf(loop, number));
    }
  for (auto [number, cache] : llvm::enumerate(plan.caches))
    if (llvm::is_contained(cache.loops, loop) || carries(loop, cache)) {
      retained.push_back(number);
      inits.push_back(caches[number]);
    }
  if (inits.empty())
    return;
  auto copy = scf::ForOp::create(builder, loop.getLoc(), values.lookup(loop.getLowerBound()),
                                 values.lookup(loop.getUpperBound()), values.lookup(loop.getStep()), inits);
  copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  values.map(loop.getInductionVar(), copy.getInductionVar());
  for (auto [position, number] : llvm::enumerate(carried)) {
    values.map(loop.getRegionIterArg(number), copy.getRegionIterArg(position));
    values.map(loop.getResult(number), copy.getResult(position));
  }
  for (auto [position, number] : llvm::enumerate(retained))
    caches[number] = copy.getRegionIterArg(carried.size() + position);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(copy.getBody());
  for (BlockArgument argument : loop.getRegionIterArgs())
    append(argument);
  writeBlock(*loop.getBody());
  for (unsigned number : carried)
    next.push_back(tensor(loop.getYieldedValues()[number], isPerRow(loop.getRegionIterArg(number))));
  for (unsigned number : retained) {
    const RetainedValue &cache = plan.caches[number];
    next.push_back(carries(loop, cache) ? appendCarried(*this, cache, caches[number],
                                                        next[cast<OpResult>(cache.value).getResultNumber()], copy)
                                        : caches[number]);
  }
  scf::YieldOp::create(builder, loop.getLoc(), next);
  for (auto [position, number] : llvm::enumerate(retained))
    caches[number] = copy.getResult(carried.size() + position);
}

} // namespace attnc
