#include "compiler/Verify/MemoryTrace.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace attnc::verify {

//===-------------------------------------------- steps ---------------------------------------------------------===//

Steps::Steps(func::FuncOp entry) : entry(entry) {
  entry.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    numbers[op] = int64_t(numbered.size());
    numbered.push_back(op);
  });
}

Value Steps::value(const ValueName &name) const {
  if (name.kind == ValueName::Kind::Argument) {
    func::FuncOp function = entry;
    return name.number < function.getNumArguments() ? function.getArgument(unsigned(name.number)) : Value();
  }
  Operation *op = at(name.step);
  if (!op || name.number >= op->getNumResults())
    return {};
  if (name.kind == ValueName::Kind::Result)
    return op->getResult(unsigned(name.number));
  auto loop = dyn_cast<scf::ForOp>(op);
  return loop ? loop.getRegionIterArg(unsigned(name.number)) : Value();
}

std::string Steps::text(Operation *op) const {
  auto call = dyn_cast<func::CallOp>(op);
  std::string text = call ? ("@" + call.getCallee()).str() : op->getName().getStringRef().str();
  FileLineColLoc location;
  op->getLoc()->walk([&](Location each) {
    location = location ? location : dyn_cast<FileLineColLoc>(each);
    return WalkResult::advance();
  });
  if (location)
    text +=
        (", " + location.getFilename().getValue() + ":" + Twine(location.getLine()) + ":" + Twine(location.getColumn()))
            .str();
  return text + " (step " + std::to_string(of(op)) + ")";
}

TensorReference referenceOf(Value tensor) {
  TensorReference reference{tensor, false};
  while (Operation *op = reference.root.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp, model::ElementOp>(op))
      break;
    reference.isElement |= isa<model::ElementOp>(op);
    reference.root = op->getOperand(0);
  }
  return reference;
}

//===-------------------------------------------- parameters ----------------------------------------------------===//

/// The op of an updated parameter; null for other locations.
static model::SetOp setOf(const Steps &steps, ValueLocation location) {
  bool isOne = location.kind == ValueLocation::Kind::Updated;
  return isOne ? dyn_cast_or_null<model::SetOp>(steps.at(location.number)) : model::SetOp();
}

template <typename Op> ParameterUpdates::Parameter ParameterUpdates::parameterOf(Op op) const {
  Parameter parameter{op.getParameter(), {}};
  for (Value index : op.getIndices())
    parameter.indices.emplace_back(index, iterations.lookup(index.getParentBlock()));
  return parameter;
}

bool ParameterUpdates::mayBeSame(const Parameter &a, const Parameter &b) {
  if (a.name != b.name)
    return false;
  for (auto [one, other] : llvm::zip(a.indices, b.indices)) {
    std::optional<int64_t> left = getConstantIntValue(one.first), right = getConstantIntValue(other.first);
    if (left && right ? *left != *right : one.first == other.first && one.second != other.second)
      return false;
  }
  return true;
}

void ParameterUpdates::add(model::SetOp set, Content content) { updates.push_back({set, parameterOf(set), content}); }

bool ParameterUpdates::isLast(model::SetOp set, Content content) const {
  Parameter parameter = parameterOf(set);
  for (const Update &update : llvm::reverse(updates))
    if (mayBeSame(update.parameter, parameter))
      return update.set == set && update.content == content;
  return false;
}

bool ParameterUpdates::maySet(model::SetOp set, model::GetOp get) const {
  return mayBeSame(parameterOf(set), parameterOf(get));
}

std::vector<model::SetOp> ParameterUpdates::setsOf(model::GetOp get) const {
  std::vector<model::SetOp> sets;
  Parameter parameter = parameterOf(get);
  for (const Update &update : updates)
    if (mayBeSame(update.parameter, parameter))
      sets.push_back(update.set);
  return sets;
}

//===-------------------------------------------- memory --------------------------------------------------------===//

MemoryTrace::MemoryTrace(const Steps &steps, const EntryCertificate &certificate, Overlap overlaps)
    : steps(steps), certificate(certificate), overlaps(overlaps) {
  for (const auto &[name, location] : certificate.values)
    if (Value value = steps.value(name))
      locations[value] = location;
  for (const PlannedCopy &copy : certificate.copies)
    copiesBefore.emplace(copy.before, &copy);
}

void MemoryTrace::fault(Operation *op, const Twine &text) { faults.insert((steps.text(op) + ": " + text).str()); }

/// Whether the tensor was never initialised.
static bool isEmpty(Value root) { return root.getDefiningOp<tensor::EmptyOp>() != nullptr; }

/// The content of a tensor; that of an element is derived from the content of its list.
Content MemoryTrace::contentOf(Value tensor) {
  TensorReference reference = referenceOf(tensor);
  Content &whole = contents[reference.root];
  if (!whole)
    whole = ++last;
  if (!reference.isElement)
    return whole;
  Content &element = elementContents[{tensor.getAsOpaquePointer(), whole}];
  return element ? element : element = ++last;
}

std::optional<ValueLocation> MemoryTrace::locationOf(Value root, Operation *op) {
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
      root = loop.getTiedLoopResult(argument);
    else
      return ValueLocation{ValueLocation::Kind::State, argument.getArgNumber()};
  }
  auto found = locations.find(root);
  if (found != locations.end())
    return found->second;
  fault(op, "the certificate has no location for the result of " + steps.text(root.getDefiningOp()));
  return std::nullopt;
}

ValueLocation MemoryTrace::memoryOf(ValueLocation location) {
  if (location.kind != ValueLocation::Kind::Element)
    return location;
  auto list = dyn_cast_or_null<model::WithElementOp>(steps.at(location.number));
  std::optional<ValueLocation> whole = list ? locationOf(referenceOf(list.getList()).root, list) : std::nullopt;
  return whole.value_or(location);
}

bool MemoryTrace::overlap(ValueLocation a, ValueLocation b) {
  a = memoryOf(a);
  b = memoryOf(b);
  bool inArena = a.kind == ValueLocation::Kind::Slot && b.kind == ValueLocation::Kind::Slot;
  return inArena ? overlaps(a.number, b.number) : a == b;
}

void MemoryTrace::clobber(ValueLocation location, Operation *op, std::optional<ValueLocation> preserved) {
  for (auto &[other, stored] : memory)
    if (other != preserved && overlap(location, other))
      stored = {0, op, std::nullopt, {}};
}

void MemoryTrace::write(ValueLocation location, Content content, Operation *op) {
  ValueLocation bytes = memoryOf(location);
  if (location.kind == ValueLocation::Kind::Updated) {
    model::SetOp set = setOf(steps, location);
    if (!set)
      return fault(op, "writes " + textOf(location) + ", but that step sets none");
    updates.add(set, content);
  } else if (location.kind == ValueLocation::Kind::Element) {
    clobber(bytes, op, bytes);
    StoredContent &list = memory[bytes];
    list.open = location.number;
    list.elements[location.number] = content;
  } else {
    clobber(bytes, op);
    memory[bytes] = {content, op, std::nullopt, {}};
  }
}

//===-------------------------------------------- reads ---------------------------------------------------------===//

void MemoryTrace::expect(ValueLocation location, Value tensor, Operation *op, const Twine &how) {
  const StoredContent &stored = memory[memoryOf(location)];
  bool isStored = stored.content == contentOf(tensor) && !stored.open;
  if (location.kind == ValueLocation::Kind::Element) {
    auto found = stored.elements.find(location.number);
    isStored = found != stored.elements.end() && found->second == contentOf(tensor);
  }
  if (location.kind == ValueLocation::Kind::Updated) {
    model::SetOp set = setOf(steps, location);
    isStored = set && updates.isLast(set, contentOf(tensor));
  }
  if (isStored)
    return;
  Value root = referenceOf(tensor).root;
  Operation *definition = root.getDefiningOp() ? root.getDefiningOp() : root.getParentBlock()->getParentOp();
  std::string what = isa<func::FuncOp>(definition) ? "an argument" : "the result of " + steps.text(definition);
  fault(op, how + " " + what + " in " + textOf(location) +
                (stored.writer ? ", but " + steps.text(stored.writer) + " overwrote it"
                               : std::string(", which was not written")));
}

/// Location of a tensor that is read; null for parameters, for inputs, which are never written, and for empty tensors.
std::optional<ValueLocation> MemoryTrace::readLocation(Value tensor, Operation *op) {
  Value root = referenceOf(tensor).root;
  auto argument = dyn_cast<BlockArgument>(root);
  auto entry = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  if (isEmpty(root) || root.getDefiningOp<model::GetOp>() ||
      (entry && !entry.getArgAttr(argument.getArgNumber(), model::stateAttrName)))
    return std::nullopt;
  return locationOf(root, op);
}

void MemoryTrace::read(Value tensor, Operation *op) {
  TensorReference reference = referenceOf(tensor);
  if (auto get = reference.root.getDefiningOp<model::GetOp>()) {
    for (model::SetOp set : updates.setsOf(get))
      fault(op, "reads @" + get.getParameter() + ", which " + steps.text(set) + " has set");
    return;
  }
  if (std::optional<ValueLocation> location = readLocation(tensor, op))
    expect(*location, reference.root, op, "reads");
}

//===-------------------------------------------- ops -----------------------------------------------------------===//

void MemoryTrace::execute(Block &block) {
  for (Operation &op : block)
    execute(op);
}

void MemoryTrace::execute(Operation &op) {
  makeCopies(op);
  if (auto call = dyn_cast<func::CallOp>(op))
    return launch(call);
  if (auto inner = dyn_cast<scf::ForOp>(op))
    return loop(inner);
  if (auto list = dyn_cast<model::WithElementOp>(op))
    return writeElement(list);
  if (auto rows = dyn_cast<model::AppendOp>(op))
    return append(rows);
  if (isa<model::SetOp, scf::YieldOp, func::ReturnOp>(op))
    return finish(op);
  if (auto end = dyn_cast<model::EndIfOp>(op))
    return read(end.getDone(), &op);
  if (isa<model::GetOp, tensor::EmptyOp>(op))
    contents[op.getResult(0)] = ++last;
}

/// Executes copies in their order.
void MemoryTrace::makeCopies(Operation &op) {
  auto [begin, end] = copiesBefore.equal_range(steps.of(&op));
  for (auto each = begin; each != end; ++each) {
    const PlannedCopy &copy = *each->second;
    Value value = steps.value(copy.value);
    if (!value)
      continue; // Verify.cpp has reported it
    std::optional<ValueLocation> source = copy.from ? copy.from : readLocation(value, &op);
    if (source && overlap(*source, copy.to))
      fault(&op, "copies from " + textOf(*source) + " to " + textOf(copy.to) + ", which overlaps it");
    if (copy.from)
      expect(*copy.from, value, &op, "copies");
    else
      read(value, &op);
    write(copy.to, contentOf(value), &op);
  }
}

/// A result may overlap the operand that the kernel names, and no other.
void MemoryTrace::checkInPlace(func::CallOp call, OpResult result, ValueLocation location) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  for (auto [number, operand] : llvm::enumerate(call.getOperands())) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    TensorReference reference = referenceOf(operand);
    auto written = kernel.getArgAttrOfType<IntegerAttr>(unsigned(number), inPlaceAttrName);
    bool mayOverlap = written && written.getInt() == result.getResultNumber() && !reference.isElement,
         doesOverlap = false;
    if (auto get = reference.root.getDefiningOp<model::GetOp>()) {
      model::SetOp set = setOf(steps, location);
      doesOverlap = set && updates.maySet(set, get);
    } else if (std::optional<ValueLocation> other = readLocation(operand, call)) {
      doesOverlap = overlap(location, *other);
      mayOverlap &= *other == location;
    }
    if (doesOverlap && !mayOverlap)
      fault(call, "writes its result " + Twine(result.getResultNumber()) + " to " + textOf(location) +
                      ", which overlaps its operand " + Twine(number));
  }
}

/// Scratch must not overlap other live locations while the kernel runs.
std::vector<ValueLocation> MemoryTrace::scratchLocations(func::CallOp call) {
  std::vector<ValueLocation> scratch;
  for (const PlannedScratch &each : certificate.scratch)
    if (each.step == steps.of(call))
      scratch.push_back({ValueLocation::Kind::Slot, each.slot});
  for (const ValueLocation &location : scratch)
    for (Value operand : call.getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        if (std::optional<ValueLocation> other = readLocation(operand, call); other && overlap(location, *other))
          fault(call, "has its scratch in " + textOf(location) + ", which overlaps an operand in " + textOf(*other));
  return scratch;
}

void MemoryTrace::launch(func::CallOp call) {
  for (Value operand : call.getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      read(operand, call);
  std::vector<ValueLocation> written = scratchLocations(call);
  size_t scratch = written.size();
  for (OpResult result : call->getResults())
    if (std::optional<ValueLocation> location = locationOf(result, call)) {
      checkInPlace(call, result, *location);
      written.push_back(*location);
    }
  for (size_t a = 0; a < written.size(); ++a)
    for (size_t b = a + 1; b < written.size(); ++b)
      if (overlap(written[a], written[b]))
        fault(call, "writes to " + textOf(written[a]) + " and to " + textOf(written[b]) + ", which overlap");
  for (size_t number = 0; number < scratch; ++number)
    clobber(written[number], call);
  for (OpResult result : call->getResults()) {
    contents[result] = ++last;
    if (auto found = locations.find(result); found != locations.end())
      write(found->second, last, call);
  }
}

/// Carried values have fresh contents in each iteration.
void MemoryTrace::beginIteration(scf::ForOp loop, ValueRange carried) {
  for (auto [value, result] : llvm::zip_equal(carried, loop.getResults())) {
    contents[value] = ++last;
    if (std::optional<ValueLocation> location = locationOf(result, loop)) {
      StoredContent &stored = memory[memoryOf(*location)];
      stored.content = last;
      stored.open.reset();
    }
  }
}

void MemoryTrace::loop(scf::ForOp loop) {
  for (auto [init, result] : llvm::zip_equal(loop.getInits(), loop.getResults()))
    if (std::optional<ValueLocation> location = locationOf(result, loop); location && !isEmpty(referenceOf(init).root))
      expect(*location, init, loop, "starts from");
  for (int iteration = 0; iteration < 2; ++iteration) {
    beginIteration(loop, loop.getRegionIterArgs());
    updates.beginIteration(loop.getBody());
    execute(*loop.getBody());
  }
  beginIteration(loop, loop.getResults());
}

void MemoryTrace::writeElement(model::WithElementOp list) {
  Value before = referenceOf(list.getList()).root;
  std::optional<ValueLocation> location = locationOf(list.getResult(), list),
                               element = readLocation(list.getElement(), list);
  if (!location)
    return;
  ValueLocation bytes = memoryOf(*location);
  if (element == ValueLocation{ValueLocation::Kind::Element, steps.of(list)}) {
    // The element was computed in place.
    StoredContent &stored = memory[bytes];
    if (stored.open == steps.of(list) && stored.content == contentOf(before))
      stored.open.reset();
    expect(*element, list.getElement(), list, "inserts into its list");
  } else {
    read(list.getElement(), list);
    if (element && overlap(*element, *location))
      fault(list, "copies from " + textOf(*element) + " to " + textOf(*location) + ", which overlaps it");
    clobber(bytes, list, bytes);
  }
  changeInPlace(before, list.getResult(), *location, list);
}

void MemoryTrace::append(model::AppendOp append) {
  read(append.getRows(), append);
  read(append.getLength(), append);
  if (append.getCount())
    read(append.getCount(), append);
  if (append.getTable())
    read(append.getTable(), append);
  std::optional<ValueLocation> location = locationOf(append.getResult(), append);
  if (!location)
    return;
  clobber(memoryOf(*location), append, memoryOf(*location));
  changeInPlace(referenceOf(append.getCache()).root, append.getResult(), *location, append);
}

/// A part of the content at `place` has changed from `before` to `after`.
void MemoryTrace::changeInPlace(Value before, Value after, ValueLocation location, Operation *op) {
  if (!isEmpty(before))
    expect(location, before, op, "changes");
  contents[after] = ++last;
  StoredContent &stored = memory[memoryOf(location)];
  stored.content = last;
  stored.writer = op;
}

void MemoryTrace::finish(Operation &op) {
  if (auto set = dyn_cast<model::SetOp>(op)) {
    if (!updates.isLast(set, contentOf(set.getValue())))
      fault(set, "no op writes the value of @" + set.getParameter());
    return;
  }
  if (isa<scf::YieldOp>(op)) {
    for (auto [next, result] : llvm::zip_equal(op.getOperands(), op.getParentOp()->getResults()))
      if (std::optional<ValueLocation> location = locationOf(result, &op); location && !isEmpty(referenceOf(next).root))
        expect(*location, next, &op, "passes on");
    return;
  }
  auto entry = cast<func::FuncOp>(op.getParentOp());
  unsigned states = model::stateCount(entry), results = op.getNumOperands() - states;
  for (auto [number, value] : llvm::enumerate(op.getOperands())) {
    ValueLocation location{ValueLocation::Kind::Caller, int64_t(number)};
    if (number >= results)
      location = {ValueLocation::Kind::State, int64_t(entry.getNumArguments() - states + number - results)};
    expect(location, value, &op, "returns");
  }
}

std::vector<std::string> MemoryTrace::run(func::FuncOp entry) {
  for (BlockArgument argument : entry.getArguments())
    if (entry.getArgAttr(argument.getArgNumber(), model::stateAttrName))
      memory[{ValueLocation::Kind::State, argument.getArgNumber()}].content = contentOf(argument);
  execute(entry.getBody().front());
  return {faults.begin(), faults.end()};
}

} // namespace attnc::verify
