//===- Draws.h - random draws of an entry point and their keys ----------------------------------------------------===//
//
// The key of a random draw is the entry point's seed and step, the number of the call, the loops around it, and the
// element. The first draw of an entry point creates the arguments `seed` and `step`.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builder.h"
#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

class Draws {
public:
  Draws(Reporter &reporter, Builder &build, const EntryContext &context, const LoopNest &loops)
      : reporter(reporter), build(build), context(context), loops(loops) {}

  void beginEntry() { first.reset(); }
  /// Creates the key at the entry point's first draw; reports a draw that is not supported here.
  bool mayDraw(SourceRange range, const std::string &what);
  /// Returns a random number in [0, 1) for each tuple of the indices. Requires mayDraw.
  typed::ExprRef draw(const std::vector<typed::Index *> &over, SourceRange range);
  /// Appends the key's arguments to an entry point with draws.
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
