#include "frontends/attn/Check/Names/StateValues.h"

#include <algorithm>

namespace attnc::check {

using namespace typed;

void StateValues::beginEntry() {
  frames.assign(1, {});
  outerReads.clear();
}

std::vector<StateUpdate> StateValues::take() const {
  std::vector<StateUpdate> updates;
  for (const StateValue &each : frames.front())
    if (each.isAssigned)
      updates.push_back({each.state, each.value, each.range});
  return updates;
}

bool StateValues::isAssignable(const Parameter &state) const {
  return state.isUpdated && context.isTraining && isMinimizedOver(context, state);
}

/// The number of leading picks that are the counters of the outermost loops.
static size_t currentPicks(const StateValues::Picks &picks, const LoopNest &loops) {
  size_t count = 0;
  while (count < picks.size() && count < loops.size() && picks[count].counter == loops[count])
    ++count;
  return count;
}

bool StateValues::isOfCurrentElements(const Parameter &state, const Picks &picks) const {
  return currentPicks(picks, loops) == state.counts.size();
}

StateValues::StateValue *StateValues::find(size_t depth, const Parameter &state) {
  auto found = std::find_if(frames[depth].begin(), frames[depth].end(),
                            [&](const StateValue &each) { return each.state == &state; });
  return found == frames[depth].end() ? nullptr : &*found;
}

void StateValues::setValue(size_t depth, const Parameter &state, ExprRef value, SourceRange range) {
  StateValue *known = find(depth, state);
  if (!known)
    known = &frames[depth].emplace_back(StateValue{&state, nullptr, false, nullptr, nullptr, range});
  known->value = value;
  known->isAssigned = true;
  known->range = range;
}

/// Returns the tensor of the type of `state` that starts at `indices` in a list of values.
static ExprRef elementOf(Builder &build, LetBuilder &lets, ExprRef list, std::vector<ExprRef> indices,
                         const Parameter &state, SourceRange range) {
  std::vector<const Index *> over;
  for (const Dim &dim : state.type.shape) {
    Index *index = build.newIndex("d", range);
    index->extent = dim;
    over.push_back(index);
    indices.push_back(build.reference(index, range));
  }
  ExprRef element = lets.subscript(list, std::move(indices), range);
  return build.make(Comprehension{std::move(over), element}, state.type, range);
}

ExprRef StateValues::elementAt(size_t depth, const Parameter &state, const Picks &picks, SourceRange range) {
  for (size_t outer = depth + 1; outer-- > 0;) {
    StateValue *list = find(outer, state);
    if (!list)
      continue;
    std::vector<ExprRef> indices;
    for (size_t i = outer; i < picks.size(); ++i)
      indices.push_back(picks[i].counter ? build.make(StepRef{picks[i].counter}, {Element::Index, {}}, range)
                                         : build.integer(picks[i].constant, Element::Index, range));
    return indices.empty() ? list->value : elementOf(build, lets, list->value, std::move(indices), state, range);
  }
  return build.make(ParameterRef{&state, picks}, state.type, range);
}

ExprRef StateValues::valueAt(size_t depth, const Parameter &state, const Picks &picks, SourceRange range) {
  if (depth == picks.size())
    return elementAt(depth, state, picks, range);
  if (StateValue *known = find(depth, state))
    return known->value;
  ExprRef initial = valueAt(depth - 1, state, picks, range);
  const Local *argument = build.newLocal(state.name, state.type, range);
  frames[depth].push_back({&state, build.reference(argument, range), false, initial, argument, range});
  return frames[depth].back().value;
}

ExprRef StateValues::read(const Parameter &parameter, const Picks &picks, SourceRange range) {
  if (!isAssignable(parameter))
    return build.make(ParameterRef{&parameter, picks}, parameter.type, range);
  size_t current = currentPicks(picks, loops);
  bool isOfOther = current < parameter.counts.size();
  if (isOfOther && current < loops.size())
    outerReads.push_back({&parameter, current, loops.size()});
  ExprRef value =
      isOfOther ? elementAt(current, parameter, picks, range) : valueAt(loops.size(), parameter, picks, range);
  return value->as<ParameterRef>() ? value : build.elementwise(Op::Stop, {value}, range);
}

void StateValues::assign(const Parameter &state, const Picks &picks, ExprRef value, SourceRange range) {
  valueAt(loops.size(), state, picks, range); // loops around it carry it
  ExprRef constant = build.elementwise(Op::Stop, {value}, range);
  setValue(loops.size(), state, lets.bind(state.name, constant, range), range);
}

void StateValues::leaveLoop(Loop &loop) {
  size_t depth = loops.size(), outside = depth - 1;
  Frame frame = std::move(frames.back());
  frames.pop_back();
  for (const StateValue &each : frame) {
    const Parameter &state = *each.state;
    if (!each.isAssigned) {
      lets.let({each.argument}, each.initial);
      continue;
    }
    Type type = each.value->type;
    if (!each.argument)
      type.shape.insert(type.shape.begin(), loop.counter->count);
    const Local *result = build.newLocal(state.name, std::move(type), each.range);
    if (each.argument)
      loop.carried.push_back({each.initial, each.argument, each.value, result});
    else {
      loop.stacked.push_back({each.value, 0, result});
      for (const OuterRead &read : outerReads)
        if (read.state == &state && read.depth < depth && read.innermost >= depth)
          reporter.notSupported(each.range, "updating a state of the modules of a list in a loop that also reads the "
                                            "state of another module of the list");
    }
    setValue(outside, state, build.reference(result, each.range), each.range);
  }
  for (OuterRead &read : outerReads)
    read.innermost = std::min(read.innermost, outside);
}

} // namespace attnc::check
