//===- Draws.h - random draws of an entry point and their keys ----------------------------------------------------===//
//
// A random draw is a call of `random`, or the noise of a normaliser such as `sample`. The key of a draw (typed::Draw)
// consists of the entry point's arguments `seed` and `step`, the number of the draw in the entry point (its site), the
// iterations of the loops around it, and the element that is drawn. The first draw of an entry point creates `seed` and
// `step`.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builder.h"
#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// The random draws of the entry point that is being checked.
class Draws {
public:
  Draws(Reporter &reporter, Builder &build, const EntryContext &context, const LoopNest &loops)
      : reporter(reporter), build(build), context(context), loops(loops) {}

  /// Starts an entry point, without draws.
  void beginEntry() { first.reset(); }
  /// Returns true if a draw is supported here. Reports a draw in the step of an optimizer or in incremental inference,
  /// and returns false. `what` names the construct that draws in messages. Creates seed and step at the entry point's
  /// first draw.
  bool mayDraw(SourceRange range, const std::string &what);
  /// Returns a typed::Draw with the next site: an f32 scalar, open in the indices `over`, that is a random number in
  /// [0, 1) for each tuple of the indices. Requires that mayDraw has returned true for this draw. The last index
  /// selects the word within a Philox block of four, so neighbouring numbers along this index share the computation of
  /// a block.
  typed::ExprRef draw(const std::vector<typed::Index *> &over, SourceRange range);
  /// Ends an entry point: if it has draws, sets its `seed` and `step`, and appends both to its arguments; for a
  /// training step, appends `seed` alone. Reports an argument that has one of these names already.
  void addArguments(typed::Entry &entry);

private:
  Reporter &reporter;
  Builder &build;
  const EntryContext &context;
  const LoopNest &loops;
  std::optional<SourceRange> first; ///< the range of the entry point's first draw
  const typed::Local *seed = nullptr, *step = nullptr;
  int64_t count = 0;
};

} // namespace attnc::check
