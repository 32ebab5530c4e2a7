#include "compiler/Codegen/Host/HostCode.h"
#include "compiler/Codegen/Host/ArenaSlots.h"
#include "compiler/Codegen/Host/Moves.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attnc {

namespace {

/// Generates the function `run` of one entry point from its plan.
class EntryWriter {
public:
  EntryWriter(const Program &program, const EntryPlan &plan, ModuleOp code, MoveKernels *moveKernels)
      : program(program), plan(plan), moveKernels(moveKernels), entry(plan.entry), sizes(plan.sizes),
        host(code, entry.getLoc(), program.runSymbol(plan), {LLVM::LLVMPointerType::get(code.getContext())},
             IntegerType::get(code.getContext(), 32)) {}

  void write();

private:
  const Program &program;
  const EntryPlan &plan;
  MoveKernels *moveKernels; ///< null unless the memory is a device's
  func::FuncOp entry;
  SizeAnalysis sizes;
  HostFunction host;
  std::optional<Launcher> launcher;
  std::unique_ptr<Moves> moves;
  SmallVector<Value> symbols; ///< index: dimensions, then the number of workers
  SmallVector<Value> inputs, results;
  std::optional<ArenaSlots> slots;
  Value parameters;
  IRMapping indices; ///< induction variables
  DenseMap<Operation *, Value>
      ends; ///< of loops with an early exit: a word on the stack, nonzero in the last iteration

  void writeBody(Value frame);
  void writeBlock(Block &block);
  void writeLoop(scf::ForOp loop);
  void writeLaunch(func::CallOp call);
  void writeElement(model::WithElementOp list);
  Value elementAddress(model::WithElementOp list);
  void writeAppend(model::AppendOp append);
  void writeEnd(model::EndIfOp end);
  std::vector<Room> roomsOfStates();
  BlockTable tableOf(model::AppendOp append);
  void writeIf(Value condition, attn_code otherwise, function_ref<void()> write);
  Value hasRoomIn(Value arena, Value dimensions);
  Value offsetInRoot(Value tensor);
  void writeCopies(Operation *before);
  Value size(const SizeExpr &size) { return size.materialise(host.builder, host.location, symbols); }
  Value index(Value value);
  Value address(const ValueLocation &location);
  Value address(Value tensor, int64_t firstPosition);
  Value parameterAddress(model::ParameterOp parameter, OperandRange listIndices, int64_t firstPosition);
};

/// Emits the check that the arena is not null, unless one worker needs no bytes.
Value EntryWriter::hasRoomIn(Value arena, Value dimensions) {
  Value hasArena = LLVM::ICmpOp::create(host.builder, host.location, LLVM::ICmpPredicate::ne, arena, host.null());
  auto guard = scf::IfOp::create(host.builder, host.location, hasArena.getType(), hasArena, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard outside(host.builder);
  host.builder.setInsertionPointToStart(guard.thenBlock());
  scf::YieldOp::create(host.builder, host.location, hasArena);
  host.builder.setInsertionPointToStart(guard.elseBlock());
  Value bytes = func::CallOp::create(host.builder, host.location, program.arenaSymbol(plan), TypeRange(host.i64),
                                     ValueRange{dimensions, host.toI64(host.number(1))})
                    .getResult(0);
  Value isEmpty = host.compare(arith::CmpIPredicate::eq, host.toIndex(bytes), host.number(0));
  scf::YieldOp::create(host.builder, host.location, isEmpty);
  return guard.getResult(0);
}

void EntryWriter::write() {
  Value frame = host.function.getArgument(0);
  Value dimensions = host.loadPointer(frame, abi::frameDimensions);
  for (size_t number = 0; number + 1 < plan.symbols.size(); ++number)
    symbols.push_back(host.loadNumber(dimensions, number));
  Value inRange = host.dimensionsInRange(symbols, entry);
  Value arena = host.loadPointer(frame, abi::frameArena);
  Value hasArena = plan.slots.empty() ? host.bit(true) : hasRoomIn(arena, dimensions);
  auto guard = scf::IfOp::create(host.builder, host.location, host.builder.getI32Type(), host.both(inRange, hasArena),
                                 /*withElseRegion=*/true);
  OpBuilder::InsertionGuard outside(host.builder);
  host.builder.setInsertionPointToStart(guard.thenBlock());
  writeBody(frame);
  scf::YieldOp::create(host.builder, host.location, launcher->result());
  host.builder.setInsertionPointToStart(guard.elseBlock());
  Value fault = arith::SelectOp::create(host.builder, host.location, inRange, host.number32(ATTN_BAD_ARENA),
                                        host.number32(ATTN_BAD_ARGUMENT));
  scf::YieldOp::create(host.builder, host.location, fault);
  host.builder.setInsertionPointAfter(guard);
  host.returnValue(guard.getResult(0));
}

void EntryWriter::writeBody(Value frame) {
  size_t maxBuffers = 0, maxSizes = 0;
  for (auto &[op, scratch] : plan.launches) {
    auto call = cast<func::CallOp>(op);
    maxBuffers = std::max<size_t>(maxBuffers, call.getNumOperands() + call.getNumResults());
    maxSizes = std::max(maxSizes, sizes.kernelSymbols(call).size());
  }
  if (moveKernels) {
    maxBuffers = std::max(maxBuffers, deviceMoveBuffers);
    maxSizes = std::max(maxSizes, deviceMoveSizes);
  }
  launcher.emplace(host, frame, maxBuffers, maxSizes);
  moves = moveKernels ? movesOfDevice(host, *launcher, *moveKernels) : movesOfHost(host);
  symbols.push_back(launcher->workers());
  Value tensors = host.loadPointer(frame, abi::frameTensors);
  for (unsigned number = 0; number < entry.getNumArguments(); ++number)
    inputs.push_back(host.loadPointer(tensors, number));
  for (unsigned number = 0; number < entry.getNumResults() - model::stateCount(entry); ++number)
    results.push_back(host.loadPointer(tensors, entry.getNumArguments() + number));
  parameters = host.loadPointer(frame, abi::frameParameters);
  Value arena = host.loadPointer(frame, abi::frameArena);
  slots.emplace(host, plan, program.slotsSymbol(plan), arena, symbols);
  std::vector<Room> rooms = roomsOfStates();
  writeIf(rooms.empty() ? Value() : moves->checkRoom(rooms), ATTN_FULL,
          [&] { writeIf(moves->checkBlocks(rooms), ATTN_OUT_OF_RANGE, [&] { writeBlock(entry.getBody().front()); }); });
}

/// Emits what `write` emits, executed if the condition holds; otherwise the call fails with the code `otherwise`. The
/// condition may be null, and then holds.
void EntryWriter::writeIf(Value condition, attn_code otherwise, function_ref<void()> write) {
  if (!condition)
    return write();
  auto guard = scf::IfOp::create(host.builder, host.location, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard outside(host.builder);
  host.builder.setInsertionPointToStart(guard.thenBlock());
  write();
  host.builder.setInsertionPointToStart(guard.elseBlock());
  launcher->fail(otherwise);
}

/// The value before the first iteration of the loops that carry `value`.
static Value initialValue(Value value) {
  while (auto carried = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp());
    if (!loop || carried == loop.getInductionVar())
      break;
    value = loop.getTiedLoopInit(carried)->get();
  }
  return value;
}

/// The table of a paged cache.
BlockTable EntryWriter::tableOf(model::AppendOp append) {
  if (!append.getTable())
    return {};
  unsigned blocks = *append.getRow() + (append.getPlace() ? 1 : 0);
  return {address(append.getTable(), 0), size(*sizes.size(append.getTable(), 1)),
          size(*sizes.size(append.getCache(), blocks))};
}

/// The checks that the caches of the caller have room for the positions that are appended to all rows.
std::vector<Room> EntryWriter::roomsOfStates() {
  std::vector<Room> rooms;
  llvm::SetVector<std::pair<Value, std::pair<Value, int64_t>>> seen; // lengths, and the state with its dimension
  entry.walk([&](model::AppendOp append) {
    if (plan.location(append).kind != ValueLocation::Kind::Input)
      return; // a cache in the arena has sufficient capacity
    Value state = entry.getArgument(plan.location(append).number), length = initialValue(append.getLength());
    int64_t dimension = append.getAlong() + (append.getPlace() ? 1 : 0);
    if (!seen.insert({length, {state, dimension}}))
      return;
    Value rows = append.getRow() ? size(*sizes.size(append.getRows(), *append.getRow())) : host.number(1);
    Value positions =
        append.getSteps() ? index(append.getSteps()) : size(*sizes.size(append.getRows(), append.getAlong()));
    rooms.push_back({address(length, 0), append.getCount() ? address(append.getCount(), 0) : Value(), rows, positions,
                     size(*sizes.size(state, dimension)), append.getRing(), tableOf(append)});
  });
  return rooms;
}

/// Emits an append. The rows are [outer, positions, inner], the cache is [outer, capacity, inner]; `outer` determines
/// the length.
void EntryWriter::writeAppend(model::AppendOp append) {
  auto type = cast<RankedTensorType>(append.getRows().getType());
  unsigned along = append.getAlong();
  auto product = [&](unsigned first, unsigned end) {
    SizeExpr product(1);
    for (unsigned dimension = first; dimension < end; ++dimension)
      product *= *sizes.size(append.getRows(), dimension);
    return product;
  };
  auto get = EntryPlan::root(append.getRows()).getDefiningOp<model::GetOp>();
  int64_t elementBytes = attnc::elementBytes(type.getElementType());
  SizeExpr inner = product(along + 1, type.getRank()) * SizeExpr(elementBytes);
  bool isWhole = inner.isConstant() && inner.constant() % ATTN_DEVICE_ALIGNMENT == 0;
  Append request;
  request.unit = isWhole ? ATTN_DEVICE_ALIGNMENT : elementBytes;
  request.units = size(isWhole ? inner.floorDiv(request.unit) : product(along + 1, type.getRank()));
  request.outer = size(product(0, along));
  request.positions = size(product(along, along + 1));
  request.capacity = size(*sizes.size(append.getCache(), along + (append.getPlace() ? 1 : 0)));
  request.rows = address(append.getRows(), get ? program.parameters.firstPosition(get.getParameter()) : 0);
  request.cache = address(plan.location(append));
  request.table = tableOf(append);
  if (append.getPlace()) {
    SizeExpr elements(elementBytes); // of an element of the list, in bytes
    for (int64_t dimension = 1; dimension <= type.getRank(); ++dimension)
      elements *= *sizes.size(append.getCache(), dimension);
    Value bytes = size(elements);
    request.cache = host.advance(request.cache, host.times(index(append.getPlace()), bytes));
  }
  request.lengths = address(append.getLength(), 0);
  request.counts = append.getCount() ? address(append.getCount(), 0) : Value();
  if (append.getStep()) {
    request.step = index(append.getStep());
    request.steps = index(append.getSteps());
  }
  request.stride = append.getRow() ? size(product(*append.getRow() + 1, along)) : host.number(1);
  request.rowCount = append.getRow() ? size(product(*append.getRow(), *append.getRow() + 1)) : host.number(1);
  request.ring = append.getRing();
  request.isState = plan.location(append).kind == ValueLocation::Kind::Input;
  moves->append(request);
}

void EntryWriter::writeBlock(Block &block) {
  for (Operation &op : block) {
    host.location = op.getLoc();
    writeCopies(&op);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      writeLoop(loop);
    else if (auto call = dyn_cast<func::CallOp>(op))
      writeLaunch(call);
    else if (auto list = dyn_cast<model::WithElementOp>(op))
      writeElement(list);
    else if (auto append = dyn_cast<model::AppendOp>(op))
      writeAppend(append);
    else if (auto end = dyn_cast<model::EndIfOp>(op))
      writeEnd(end);
  }
}

/// Emits the store of `done` to the loop's word on the stack.
void EntryWriter::writeEnd(model::EndIfOp end) {
  host.store(moves->fetch(address(end.getDone(), 0)), ends.lookup(end->getParentOp()), 0);
}

void EntryWriter::writeLoop(scf::ForOp loop) {
  auto copy = scf::ForOp::create(host.builder, host.location, index(loop.getLowerBound()), index(loop.getUpperBound()),
                                 index(loop.getStep()));
  indices.map(loop.getInductionVar(), copy.getInductionVar());
  OpBuilder::InsertionGuard outside(host.builder);
  if (!loop.getOps<model::EndIfOp>().empty()) {
    host.builder.setInsertionPoint(copy);
    Value end = ends[loop] = host.stackArray(1);
    host.store(host.toI64(host.number(0)), end, 0);
    host.builder.setInsertionPointToStart(copy.getBody());
    Value continues = host.compare(arith::CmpIPredicate::eq, host.loadNumber(end, 0), host.number(0));
    auto iteration = scf::IfOp::create(host.builder, host.location, continues, /*withElseRegion=*/false);
    host.builder.setInsertionPointToStart(iteration.thenBlock());
  } else {
    host.builder.setInsertionPointToStart(copy.getBody());
  }
  writeBlock(*loop.getBody());
}

/// Emits an index of the entry point: a size, or arithmetic on induction variables.
Value EntryWriter::index(Value value) {
  if (Value mapped = indices.lookupOrNull(value))
    return mapped;
  if (std::optional<SizeExpr> known = sizes.index(value))
    return size(*known);
  IRMapping operands;
  for (Value operand : value.getDefiningOp()->getOperands())
    operands.map(operand, index(operand));
  return host.builder.clone(*value.getDefiningOp(), operands)->getResult(cast<OpResult>(value).getResultNumber());
}

Value EntryWriter::address(const ValueLocation &location) {
  if (location.kind == ValueLocation::Kind::Updated) {
    model::SetOp set = plan.updates[location.number];
    auto parameter = SymbolTable::lookupNearestSymbolFrom<model::ParameterOp>(set, set.getParameterAttr());
    return parameterAddress(parameter, set.getIndices(), program.parameters.firstPosition(set.getParameter()));
  }
  if (location.kind == ValueLocation::Kind::Element)
    return elementAddress(plan.elements[location.number]);
  if (location.kind == ValueLocation::Kind::Slot)
    return slots->address(location.number);
  return (location.kind == ValueLocation::Kind::Input ? inputs : results)[location.number];
}

/// Emits the offset of `tensor` in its root; null if it is not an element of a per-iteration list.
Value EntryWriter::offsetInRoot(Value tensor) {
  Value offset;
  for (Operation *op = tensor.getDefiningOp(); op && tensor != EntryPlan::root(tensor); op = tensor.getDefiningOp()) {
    if (auto element = dyn_cast<model::ElementOp>(op)) {
      Value bytes = host.builder.createOrFold<arith::MulIOp>(host.location, index(element.getPlace()),
                                                             size(*sizes.bytes(element.getResult())));
      offset = offset ? host.builder.createOrFold<arith::AddIOp>(host.location, offset, bytes) : bytes;
    }
    tensor = op->getOperand(0);
  }
  return offset;
}

/// Emits the address of the element in its list.
Value EntryWriter::elementAddress(model::WithElementOp list) {
  Value bytes = size(*sizes.bytes(list.getElement()));
  Value offset = host.builder.createOrFold<arith::MulIOp>(host.location, index(list.getPlace()), bytes);
  return host.advance(address(plan.location(list)), offset);
}

void EntryWriter::writeElement(model::WithElementOp list) {
  ValueLocation location = plan.location(list.getElement());
  if (location.kind == ValueLocation::Kind::Element && plan.elements[location.number] == list)
    return; // computed in place
  SizeExpr bytes = *sizes.bytes(list.getElement());
  auto get = EntryPlan::root(list.getElement()).getDefiningOp<model::GetOp>();
  Value from = address(list.getElement(), get ? program.parameters.firstPosition(get.getParameter()) : 0);
  moves->copy(elementAddress(list), from, size(bytes));
}

/// Emits the address of a tensor. `firstPosition` is its first position in the parameter table, if it is a parameter.
Value EntryWriter::address(Value tensor, int64_t firstPosition) {
  ValueLocation location = plan.location(tensor);
  Value offset = offsetInRoot(tensor), root;
  if (location.kind == ValueLocation::Kind::Parameter) {
    auto get = EntryPlan::root(tensor).getDefiningOp<model::GetOp>();
    auto parameter = SymbolTable::lookupNearestSymbolFrom<model::ParameterOp>(get, get.getParameterAttr());
    root = parameterAddress(parameter, get.getIndices(), firstPosition);
  } else {
    root = address(location);
  }
  return offset ? host.advance(root, offset) : root;
}

Value EntryWriter::parameterAddress(model::ParameterOp parameter, OperandRange listIndices, int64_t firstPosition) {
  Value element = host.number(0);
  for (auto [count, position] : llvm::zip(parameter.getCounts(), listIndices)) {
    element = host.builder.createOrFold<arith::MulIOp>(host.location, element, host.number(count));
    element = host.builder.createOrFold<arith::AddIOp>(host.location, element, index(position));
  }
  element = host.builder.createOrFold<arith::AddIOp>(host.location, element, host.number(firstPosition));
  return host.loadPointer(parameters, element);
}

void EntryWriter::writeLaunch(func::CallOp call) {
  const KernelCode &code = llvm::find_if(program.kernels, [&](const CompiledKernel &each) {
                             return func::FuncOp(each.function).getName() == call.getCallee();
                           })->code;
  SmallVector<Value> tensors, launchSizes;
  for (auto [position, operand] : llvm::enumerate(call.getOperands())) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    bool isParameter = plan.location(operand).kind == ValueLocation::Kind::Parameter;
    tensors.push_back(address(operand, isParameter ? program.parameters.firstPosition(call, position) : 0));
  }
  for (Value result : call.getResults())
    tensors.push_back(address(plan.location(result)));
  std::vector<std::optional<SizeExpr>> known = sizes.kernelSymbols(call);
  size_t indexOperands = llvm::count_if(call.getOperandTypes(), [](Type type) { return type.isIndex(); });
  for (const std::optional<SizeExpr> &each : ArrayRef(known).drop_back(indexOperands))
    launchSizes.push_back(size(*each));
  for (Value operand : call.getOperands())
    if (operand.getType().isIndex())
      launchSizes.push_back(index(operand));
  const LaunchScratch &scratch = plan.launches.find(call)->second;
  Value shared = scratch.shared ? slots->address(*scratch.shared) : host.null();
  Value worker = scratch.workers ? slots->address(*scratch.workers) : host.null();
  launcher->launch(code.phases, tensors, launchSizes, shared, worker, size(scratch.stride));
}

void EntryWriter::writeCopies(Operation *before) {
  auto found = plan.copies.find(before);
  if (found == plan.copies.end())
    return;
  for (const Copy &copy : found->second) {
    auto get = EntryPlan::root(copy.value).getDefiningOp<model::GetOp>();
    int64_t firstPosition = get ? program.parameters.firstPosition(get.getParameter()) : 0;
    Value from = copy.source ? address(*copy.source) : address(copy.value, firstPosition);
    moves->copy(address(copy.target), from, size(copy.bytes));
  }
}

void emitArenaBytes(const Program &program, const EntryPlan &plan, ModuleOp code) {
  Type pointer = LLVM::LLVMPointerType::get(code.getContext()), i64 = IntegerType::get(code.getContext(), 64);
  func::FuncOp entry = plan.entry;
  HostFunction host(code, entry.getLoc(), program.arenaSymbol(plan), {pointer, i64}, i64);
  SmallVector<Value> symbols;
  for (size_t number = 0; number + 1 < plan.symbols.size(); ++number)
    symbols.push_back(host.loadNumber(host.function.getArgument(0), number));
  Value valid = host.dimensionsInRange(symbols, entry);
  symbols.push_back(host.toIndex(host.function.getArgument(1)));
  valid = host.both(valid, host.compare(arith::CmpIPredicate::sge, symbols.back(), host.number(1)));
  Value overflow = host.bit(false);
  Value bytes = plan.arenaBytes.materialiseChecked(host.builder, host.location, symbols, overflow);
  Value fits = arith::XOrIOp::create(host.builder, host.location, overflow, host.bit(true));
  Value result = arith::SelectOp::create(host.builder, host.location, host.both(valid, fits), bytes, host.number(-1));
  host.returnValue(host.toI64(result));
}

void emitFlops(const Program &program, const EntryPlan &plan, const EntryCertificate &certificate, ModuleOp code) {
  Type pointer = LLVM::LLVMPointerType::get(code.getContext()), i64 = IntegerType::get(code.getContext(), 64);
  HostFunction host(code, func::FuncOp(plan.entry).getLoc(), program.flopsSymbol(plan), {pointer}, i64);
  SmallVector<Value> symbols;
  for (size_t number = 0; number + 1 < plan.symbols.size(); ++number)
    symbols.push_back(host.loadNumber(host.function.getArgument(0), number));
  symbols.push_back(host.number(1)); // the number of workers does not change the operations
  host.returnValue(host.toI64(certificate.flops.materialise(host.builder, host.location, symbols)));
}

/// The copies of parameters in the order in which they are packed: the largest parameters first, because the runtime
/// holds a value only while it is packed. The copies of one parameter follow each other.
std::vector<const PackedParameter *> packingOrder(const ParameterTable &parameters) {
  std::vector<const PackedParameter *> order;
  for (const PackedParameter &packed : parameters.packed)
    order.push_back(&packed);
  auto key = [&](const PackedParameter *packed) {
    model::ParameterOp source = parameters.loaded[packed->parameter].op;
    return std::pair(-cast<RankedTensorType>(source.getType()).getNumElements(), packed->parameter);
  };
  llvm::stable_sort(order, [&](auto *a, auto *b) { return key(a) < key(b); });
  return order;
}

/// Packs each parameter that kernels read packed, one list element after the other. Only the launches read source
/// values, as their first buffer, so that the runtime can load a value just before its launch
/// (runtime/files/load.c).
void emitPrepare(const Program &program, ModuleOp code) {
  Type pointer = LLVM::LLVMPointerType::get(code.getContext()), i64 = IntegerType::get(code.getContext(), 64);
  Location location = code.getLoc();
  HostFunction host(code, location, program.prepareSymbol(), {pointer}, IntegerType::get(code.getContext(), 32));
  Value frame = host.function.getArgument(0);
  Launcher launcher(host, frame, 2, 1);
  Value parameters = host.loadPointer(frame, abi::frameParameters), arena = host.loadPointer(frame, abi::frameArena);
  for (const PackedParameter *packed : packingOrder(program.parameters)) {
    const LoadedParameter &source = program.parameters.loaded[packed->parameter];
    auto loop = scf::ForOp::create(host.builder, location, host.number(0), host.number(packed->count), host.number(1));
    OpBuilder::InsertionGuard outside(host.builder);
    host.builder.setInsertionPointToStart(loop.getBody());
    auto parameterPointer = [&](int64_t first) {
      Value element = arith::AddIOp::create(host.builder, location, loop.getInductionVar(), host.number(first));
      return host.loadPointer(parameters, element);
    };
    Value shared = host.number(packed->code.sharedBytes.alignTo(arenaAlignment).constant());
    Value stride = host.number(packed->code.workerBytes.alignTo(arenaAlignment).constant());
    launcher.launch(packed->code.phases, {parameterPointer(source.first), parameterPointer(packed->first)}, {}, arena,
                    host.advance(arena, shared), stride);
  }
  host.returnValue(launcher.result());

  HostFunction bytes(code, location, program.prepareArenaSymbol(), {pointer, i64}, i64);
  Value workers = bytes.toIndex(bytes.function.getArgument(1));
  bytes.returnValue(bytes.toI64(program.prepareArenaBytes().materialise(bytes.builder, location, {workers})));
}

} // namespace

void emitHostCode(Program &program, ModuleOp code, ModuleOp device) {
  MoveKernels moveKernels(device);
  for (auto [plan, certificate] : llvm::zip_equal(program.entries, program.certificates)) {
    EntryWriter(program, plan, code, device ? &moveKernels : nullptr).write();
    emitArenaBytes(program, plan, code);
    emitFlops(program, plan, certificate, code);
  }
  if (!program.parameters.packed.empty())
    emitPrepare(program, code);
  program.moves = moveKernels.made();
}

} // namespace attnc
