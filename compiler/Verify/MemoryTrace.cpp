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
  Operation *op = name.step < int64_t(numbered.size()) ? numbered[name.step] : nullptr;
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
  FileLineColLoc place;
  op->getLoc()->walk([&](Location each) {
    place = place ? place : dyn_cast<FileLineColLoc>(each);
    return WalkResult::advance();
  });
  if (place)
    text +=
        (", " + place.getFilename().getValue() + ":" + Twine(place.getLine()) + ":" + Twine(place.getColumn())).str();
  return text + " (step " + std::to_string(of(op)) + ")";
}

Shown shownBy(Value tensor) {
  Shown shown{tensor, false};
  while (Operation *op = shown.root.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp, model::ElementOp>(op))
      break;
    shown.isElement |= isa<model::ElementOp>(op);
    shown.root = op->getOperand(0);
  }
  return shown;
}

//===-------------------------------------------- memory --------------------------------------------------------===//

MemoryTrace::MemoryTrace(const Steps &steps, const EntryCertificate &certificate, Overlap overlaps)
    : steps(steps), certificate(certificate), overlaps(overlaps) {
  for (const auto &[name, place] : certificate.values)
    if (Value value = steps.value(name))
      places[value] = place;
  for (const PlannedCopy &copy : certificate.copies)
    copiesBefore.emplace(copy.before, &copy);
}

void MemoryTrace::fault(Operation *op, const Twine &text) { faults.insert((steps.text(op) + ": " + text).str()); }

/// Whether the tensor was never initialised.
static bool isEmpty(Value root) { return root.getDefiningOp<tensor::EmptyOp>() != nullptr; }

/// The content of a tensor; that of an element is derived from the content of its list.
MemoryTrace::Content MemoryTrace::contentOf(Value tensor) {
  Shown shown = shownBy(tensor);
  Content &whole = contents[shown.root];
  if (!whole)
    whole = ++last;
  if (!shown.isElement)
    return whole;
  Content &element = elementContents[{tensor.getAsOpaquePointer(), whole}];
  return element ? element : element = ++last;
}

std::optional<Place> MemoryTrace::placeOf(Value root, Operation *op) {
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
      root = loop.getTiedLoopResult(argument);
    else
      return Place{Place::Kind::State, argument.getArgNumber()};
  }
  auto found = places.find(root);
  if (found != places.end())
    return found->second;
  fault(op, "the certificate has no location for the result of " + steps.text(root.getDefiningOp()));
  return std::nullopt;
}

Place MemoryTrace::memoryOf(Place place) {
  if (place.kind != Place::Kind::Element || place.number >= int64_t(steps.ops().size()))
    return place;
  auto list = dyn_cast<model::WithElementOp>(steps.ops()[place.number]);
  std::optional<Place> whole = list ? placeOf(shownBy(list.getList()).root, list) : std::nullopt;
  return whole.value_or(place);
}

bool MemoryTrace::meet(Place a, Place b) {
  a = memoryOf(a);
  b = memoryOf(b);
  bool inArena = a.kind == Place::Kind::Slot && b.kind == Place::Kind::Slot;
  return inArena ? overlaps(a.number, b.number) : a == b;
}

void MemoryTrace::clobber(Place place, Operation *op, std::optional<Place> kept) {
  for (auto &[other, held] : memory)
    if (other != kept && meet(place, other))
      held = {0, op, std::nullopt, {}};
}

void MemoryTrace::write(Place place, Content content, Operation *op) {
  Place bytes = memoryOf(place);
  if (place.kind == Place::Kind::Updated) {
    model::SetOp set = setOf(place);
    if (!set)
      return fault(op, "writes " + textOf(place) + ", but that step sets none");
    updates.push_back({place.number, set, turned(set.getIndices()), content});
  } else if (place.kind == Place::Kind::Element) {
    clobber(bytes, op, bytes);
    Held &list = memory[bytes];
    list.open = place.number;
    list.elements[place.number] = content;
  } else {
    clobber(bytes, op);
    memory[bytes] = {content, op, std::nullopt, {}};
  }
}

model::SetOp MemoryTrace::setOf(Place place) {
  bool isOne = place.kind == Place::Kind::Updated && place.number < int64_t(steps.ops().size());
  return isOne ? dyn_cast<model::SetOp>(steps.ops()[place.number]) : model::SetOp();
}

/// Indices with the iteration of the loop that computes them.
std::vector<std::pair<Value, unsigned>> MemoryTrace::turned(OperandRange indices) {
  std::vector<std::pair<Value, unsigned>> result;
  for (Value index : indices)
    result.emplace_back(index, turns.lookup(index.getParentBlock()));
  return result;
}

bool MemoryTrace::mayBeSame(const Update &update, StringRef parameter, OperandRange indices) {
  if (model::SetOp(update.set).getParameter() != parameter)
    return false;
  for (auto [a, b] : llvm::zip(update.indices, turned(indices))) {
    std::optional<int64_t> left = getConstantIntValue(a.first), right = getConstantIntValue(b.first);
    if (left && right ? *left != *right : a.first == b.first && a.second != b.second)
      return false;
  }
  return true;
}

//===-------------------------------------------- reads ---------------------------------------------------------===//

/// Whether `content` is the last one written to the parameter.
bool MemoryTrace::isUpdated(Place place, Content content) {
  model::SetOp set = setOf(place);
  for (const Update &update : llvm::reverse(updates))
    if (set && mayBeSame(update, set.getParameter(), set.getIndices()))
      return update.step == place.number && update.content == content;
  return false;
}

void MemoryTrace::expect(Place place, Value tensor, Operation *op, const Twine &how) {
  const Held &held = memory[memoryOf(place)];
  bool isThere = held.content == contentOf(tensor) && !held.open;
  if (place.kind == Place::Kind::Element) {
    auto found = held.elements.find(place.number);
    isThere = found != held.elements.end() && found->second == contentOf(tensor);
  }
  if (place.kind == Place::Kind::Updated)
    isThere = isUpdated(place, contentOf(tensor));
  if (isThere)
    return;
  Value root = shownBy(tensor).root;
  Operation *maker = root.getDefiningOp() ? root.getDefiningOp() : root.getParentBlock()->getParentOp();
  std::string what = isa<func::FuncOp>(maker) ? "an argument" : "the result of " + steps.text(maker);
  fault(op, how + " " + what + " in " + textOf(place) +
                (held.writer ? ", but " + steps.text(held.writer) + " overwrote it"
                             : std::string(", which was not written")));
}

/// Location of a tensor that is read; null for parameters, for inputs, which are never written, and for empty tensors.
std::optional<Place> MemoryTrace::placeOfRead(Value tensor, Operation *op) {
  Value root = shownBy(tensor).root;
  auto argument = dyn_cast<BlockArgument>(root);
  auto entry = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  if (isEmpty(root) || root.getDefiningOp<model::GetOp>() ||
      (entry && !entry.getArgAttr(argument.getArgNumber(), model::stateAttrName)))
    return std::nullopt;
  return placeOf(root, op);
}

void MemoryTrace::read(Value tensor, Operation *op) {
  Shown shown = shownBy(tensor);
  if (auto get = shown.root.getDefiningOp<model::GetOp>()) {
    for (const Update &update : updates)
      if (mayBeSame(update, get.getParameter(), get.getIndices()))
        fault(op, "reads @" + get.getParameter() + ", which " + steps.text(update.set) + " has set");
    return;
  }
  if (std::optional<Place> place = placeOfRead(tensor, op))
    expect(*place, shown.root, op, "reads");
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
    std::optional<Place> source = copy.from ? copy.from : placeOfRead(value, &op);
    if (source && meet(*source, copy.to))
      fault(&op, "copies from " + textOf(*source) + " to " + textOf(copy.to) + ", which overlaps it");
    if (copy.from)
      expect(*copy.from, value, &op, "copies");
    else
      read(value, &op);
    write(copy.to, contentOf(value), &op);
  }
}

/// A result may overlap the operand that the kernel names, and no other.
void MemoryTrace::checkInPlace(func::CallOp call, OpResult result, Place place) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  for (auto [number, operand] : llvm::enumerate(call.getOperands())) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    Shown shown = shownBy(operand);
    auto written = kernel.getArgAttrOfType<IntegerAttr>(unsigned(number), inPlaceAttrName);
    bool may = written && written.getInt() == result.getResultNumber() && !shown.isElement, meets = false;
    if (auto get = shown.root.getDefiningOp<model::GetOp>()) {
      model::SetOp set = setOf(place);
      meets = set && mayBeSame({0, set, turned(set.getIndices()), 0}, get.getParameter(), get.getIndices());
    } else if (std::optional<Place> other = placeOfRead(operand, call)) {
      meets = meet(place, *other);
      may &= *other == place;
    }
    if (meets && !may)
      fault(call, "writes its result " + Twine(result.getResultNumber()) + " to " + textOf(place) +
                      ", which overlaps its operand " + Twine(number));
  }
}

/// Scratch must not overlap other live locations while the kernel runs.
std::vector<Place> MemoryTrace::scratchOf(func::CallOp call) {
  std::vector<Place> scratch;
  for (const PlannedScratch &each : certificate.scratch)
    if (each.step == steps.of(call))
      scratch.push_back({Place::Kind::Slot, each.slot});
  for (const Place &place : scratch)
    for (Value operand : call.getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        if (std::optional<Place> other = placeOfRead(operand, call); other && meet(place, *other))
          fault(call, "has its scratch in " + textOf(place) + ", which overlaps an operand in " + textOf(*other));
  return scratch;
}

void MemoryTrace::launch(func::CallOp call) {
  for (Value operand : call.getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      read(operand, call);
  std::vector<Place> written = scratchOf(call);
  size_t scratch = written.size();
  for (OpResult result : call->getResults())
    if (std::optional<Place> place = placeOf(result, call)) {
      checkInPlace(call, result, *place);
      written.push_back(*place);
    }
  for (size_t a = 0; a < written.size(); ++a)
    for (size_t b = a + 1; b < written.size(); ++b)
      if (meet(written[a], written[b]))
        fault(call, "writes to " + textOf(written[a]) + " and to " + textOf(written[b]) + ", which overlap");
  for (size_t number = 0; number < scratch; ++number)
    clobber(written[number], call);
  for (OpResult result : call->getResults()) {
    contents[result] = ++last;
    if (auto found = places.find(result); found != places.end())
      write(found->second, last, call);
  }
}

/// Carried values have fresh contents in each iteration.
void MemoryTrace::beginTurn(scf::ForOp loop, ValueRange carried) {
  for (auto [value, result] : llvm::zip_equal(carried, loop.getResults())) {
    contents[value] = ++last;
    if (std::optional<Place> place = placeOf(result, loop)) {
      Held &held = memory[memoryOf(*place)];
      held.content = last;
      held.open.reset();
    }
  }
}

void MemoryTrace::loop(scf::ForOp loop) {
  for (auto [init, result] : llvm::zip_equal(loop.getInits(), loop.getResults()))
    if (std::optional<Place> place = placeOf(result, loop); place && !isEmpty(shownBy(init).root))
      expect(*place, init, loop, "starts from");
  for (int turn = 0; turn < 2; ++turn) {
    beginTurn(loop, loop.getRegionIterArgs());
    ++turns[loop.getBody()];
    execute(*loop.getBody());
  }
  beginTurn(loop, loop.getResults());
}

void MemoryTrace::writeElement(model::WithElementOp list) {
  Value before = shownBy(list.getList()).root;
  std::optional<Place> place = placeOf(list.getResult(), list), element = placeOfRead(list.getElement(), list);
  if (!place)
    return;
  Place bytes = memoryOf(*place);
  if (element == Place{Place::Kind::Element, steps.of(list)}) {
    // The element was computed in place.
    Held &held = memory[bytes];
    if (held.open == steps.of(list) && held.content == contentOf(before))
      held.open.reset();
    expect(*element, list.getElement(), list, "inserts into its list");
  } else {
    read(list.getElement(), list);
    if (element && meet(*element, *place))
      fault(list, "copies from " + textOf(*element) + " to " + textOf(*place) + ", which overlaps it");
    clobber(bytes, list, bytes);
  }
  changeInPlace(before, list.getResult(), *place, list);
}

void MemoryTrace::append(model::AppendOp append) {
  read(append.getRows(), append);
  read(append.getLength(), append);
  if (append.getCount())
    read(append.getCount(), append);
  std::optional<Place> place = placeOf(append.getResult(), append);
  if (!place)
    return;
  clobber(memoryOf(*place), append, memoryOf(*place));
  changeInPlace(shownBy(append.getCache()).root, append.getResult(), *place, append);
}

/// A part of the content at `place` has changed from `before` to `after`.
void MemoryTrace::changeInPlace(Value before, Value after, Place place, Operation *op) {
  if (!isEmpty(before))
    expect(place, before, op, "changes");
  contents[after] = ++last;
  Held &held = memory[memoryOf(place)];
  held.content = last;
  held.writer = op;
}

void MemoryTrace::finish(Operation &op) {
  if (auto set = dyn_cast<model::SetOp>(op)) {
    if (!isUpdated({Place::Kind::Updated, steps.of(set)}, contentOf(set.getValue())))
      fault(set, "no op writes the value of @" + set.getParameter());
    return;
  }
  if (isa<scf::YieldOp>(op)) {
    for (auto [next, result] : llvm::zip_equal(op.getOperands(), op.getParentOp()->getResults()))
      if (std::optional<Place> place = placeOf(result, &op); place && !isEmpty(shownBy(next).root))
        expect(*place, next, &op, "passes on");
    return;
  }
  auto entry = cast<func::FuncOp>(op.getParentOp());
  unsigned states = model::stateCount(entry), results = op.getNumOperands() - states;
  for (auto [number, value] : llvm::enumerate(op.getOperands())) {
    Place place{Place::Kind::Caller, int64_t(number)};
    if (number >= results)
      place = {Place::Kind::State, int64_t(entry.getNumArguments() - states + number - results)};
    expect(place, value, &op, "returns");
  }
}

std::vector<std::string> MemoryTrace::run(func::FuncOp entry) {
  for (BlockArgument argument : entry.getArguments())
    if (entry.getArgAttr(argument.getArgNumber(), model::stateAttrName))
      memory[{Place::Kind::State, argument.getArgNumber()}].content = contentOf(argument);
  execute(entry.getBody().front());
  return {faults.begin(), faults.end()};
}

} // namespace attnc::verify
