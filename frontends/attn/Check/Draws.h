//===- Draws.h - random draws of an entry point and their keys ----------------------------------------------------===//
//
// The key of a random draw (typed::Draw) is the entry point's seed and step, the number of the call (its site), the
// iterations of the loops around it, and the element. The first draw of an entry point creates `seed` and `step`.
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

  void beginEntry() { first.reset(); }
  /// True if a draw is supported here; reports a draw in the step of an optimizer or in incremental inference. `what`
  /// is the construct that draws. Creates seed and step at the entry point's first draw.
  bool mayDraw(SourceRange range, const std::string &what);
  /// Returns an open scalar, a random number in [0, 1) for each tuple of the indices, with the next site. Requires
  /// mayDraw. The last index selects the word within a Philox block, so that numbers along it are the cheapest.
  typed::ExprRef draw(const std::vector<typed::Index *> &over, SourceRange range);
  /// Appends `seed` to the arguments of an entry point with draws, and `step` unless it is a training step.
  /// Reports an argument of the same name.
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
