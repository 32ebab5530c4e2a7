//===- StateValues.h - the values of module states during a training step -----------------------------------------===//
//
// A training step can assign a `state` of a module several times (StateUpdates.h). Each reference has the value of the
// last assignment before it, and without one, the value that the state had before the training step. In the typed
// program, the value is a variable:
//
// - The state of a single module that is assigned in a loop is a loop-carried value of this loop (Loop::Carried). The
//   same holds for a module of a list if the loop is inside of the loop over the list.
// - The values that a loop over a list of modules assigns to the states of its elements are a stacked result of the
//   loop (Loop::Stacked): a tensor whose first dimension is the length of the list. Later loops over the list read
//   elements of this tensor.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/LetBuilder.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// The values of the module states that the entry point being checked has assigned or carried so far. An entry point
/// that is no training step, or does not train the module of a state, reads parameters and assigns nothing.
class StateValues {
public:
  using Picks = std::vector<typed::ParameterRef::Pick>;

  StateValues(Reporter &reporter, Builder &build, LetBuilder &lets, const EntryContext &context, const LoopNest &loops)
      : reporter(reporter), build(build), lets(lets), context(context), loops(loops) {}

  /// Starts an entry point, without assignments.
  void beginEntry();
  /// Returns the last value of each state that the entry point assigned, in the order of their first use.
  std::vector<typed::StateUpdate> take() const;

  /// Returns the value of a parameter or state; `picks` has an index for each of its Parameter::counts. The value of a
  /// state is a constant for gradients.
  typed::ExprRef read(const typed::Parameter &parameter, const Picks &picks, SourceRange range);
  /// True if the entry point assigns values to the state.
  bool isAssignable(const typed::Parameter &state) const;
  /// True if the outermost loops around the current statement are loops over the lists of the state's module, in which
  /// `picks` are the current elements. Holds for the state of a module that is in no list.
  bool isOfCurrentElements(const typed::Parameter &state, const Picks &picks) const;
  /// Assigns a closed f32 tensor of the state's type, which becomes a constant for gradients. Requires isAssignable and
  /// isOfCurrentElements.
  void assign(const typed::Parameter &state, const Picks &picks, typed::ExprRef value, SourceRange range);

  /// Call after a loop has been added to the LoopNest, before its body is checked.
  void enterLoop() { frames.emplace_back(); }
  /// Call while the loop is still in the LoopNest, after its body, when the block around the loop is current. Adds to
  /// `loop` the carried values and stacked results of the states that its body assigned. Reports the assignment of a
  /// state in a loop over a list of modules that also reads the state of another element of the list.
  void leaveLoop(typed::Loop &loop);

private:
  /// A state in a block. In a loop inside of the loops over the lists of its module, the value is that of one module.
  /// In a block around these loops, its first dimensions are the lengths of the lists whose loops are inside the block.
  struct StateValue {
    const typed::Parameter *state;
    typed::ExprRef value;
    bool isAssigned;              ///< in this block or in a loop inside of it
    typed::ExprRef initial;       ///< before the loop; null if the value is not carried
    const typed::Local *argument; ///< of the loop; null if the value is not carried
    SourceRange range;            ///< of the last assignment
  };
  /// A reference to a module of a list that is not the current element of the loop number `depth` + 1. It has the value
  /// from before this loop, so the loop must not assign the state.
  struct OuterRead {
    const typed::Parameter *state;
    size_t depth;
    size_t innermost; ///< the number of the innermost loop around it that is still checked
  };
  /// The states of a block, in the order of their first use.
  using Frame = std::vector<StateValue>;

  StateValue *find(size_t depth, const typed::Parameter &state);
  void setValue(size_t depth, const typed::Parameter &state, typed::ExprRef value, SourceRange range);
  /// Returns the value in the block of the loop number `depth` (1 for the outermost loop, 0 for the entry point), and
  /// makes it a carried value of this loop and of the loops around it.
  typed::ExprRef valueAt(size_t depth, const typed::Parameter &state, const Picks &picks, SourceRange range);
  typed::ExprRef elementAt(size_t depth, const typed::Parameter &state, const Picks &picks, SourceRange range);

  Reporter &reporter;
  Builder &build;
  LetBuilder &lets;
  const EntryContext &context;
  const LoopNest &loops;
  std::vector<Frame> frames = std::vector<Frame>(1); ///< of the entry point and of each loop of `loops`
  std::vector<OuterRead> outerReads;
};

} // namespace attnc::check
