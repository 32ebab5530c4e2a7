//===- Search.h - the smallest text that still shows it ---------------------------------------------------------===//
//
// Delta debugging. Of each transformation, from coarse to fine, groups of changes are tried: all at once, then halves,
// quarters, and so on to single ones (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input",
// 2002), outer nodes of the tree before those in them (Misherghi and Su, "HDD: Hierarchical Delta Debugging", 2006).
// Rounds go on until one changes nothing: then no single change of any transformation is left that keeps what is looked
// for.
//
// Each text that is taken is smaller than the one before (`Size`), so there is an end. Texts are taken in the order of
// the search alone, so the result is the same however many are tried at once.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attn-reduce/Question.h"
#include "tools/attn-reduce/Subject.h"

#include <unordered_set>

namespace attnc::reduce {

struct Statistics {
  int64_t rounds = 0;
  int64_t tried = 0; ///< texts that were asked about
  int64_t taken = 0; ///< of these, those that showed it and were gone on from
};

class Search {
public:
  /// Sees each text that is taken, and what is tried now. Where `taken` or `goesOn` says no, the search ends.
  struct Watcher {
    std::function<bool(const std::string &text)> taken;
    std::function<void(const Transformation &now, const Size &size, const Statistics &statistics)> progress;
    std::function<bool()> goesOn;
  };

  Search(const Subject &subject, Question &question, Watcher watcher)
      : subject(subject), question(question), watcher(std::move(watcher)) {}

  /// `text` shows what is looked for; so does what is returned.
  std::string run(std::string text);

  const Statistics &statistics() const { return counts; }

private:
  /// Some changes next to each other, and what they make.
  struct Attempt {
    size_t begin;
    std::string text;
  };
  bool reduceBy(const Transformation &transformation);
  std::optional<Attempt> attempt(const Transformation &transformation, const Changes &changes, size_t begin,
                                 size_t length);

  const Subject &subject;
  Question &question;
  Watcher watcher;
  Statistics counts;
  bool isStopped = false;
  std::string current;
  std::unordered_set<std::string> refused; ///< texts that did not show it
};

} // namespace attnc::reduce
