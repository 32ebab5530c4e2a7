//===- Search.h - hierarchical delta debugging ------------------------------------------------------------------===//
//
// For each transformation, from coarse to fine, the search tries groups of changes: all at once, then halves, quarters,
// and so on to single changes (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002), outer
// nodes of the tree before inner ones (Misherghi and Su, "HDD: Hierarchical Delta Debugging", 2006). Rounds repeat
// until one changes nothing. The result is then 1-minimal: no single change of any transformation gives an interesting
// text.
//
// Each accepted text is smaller than the one before (`Size`), so the search terminates. Acceptance depends only on the
// order of the search, so the result does not depend on the number of parallel tests.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attn-reduce/Question.h"
#include "tools/attn-reduce/Subject.h"

#include <unordered_set>

namespace attnc::reduce {

struct Statistics {
  int64_t rounds = 0;
  int64_t tried = 0; ///< tested texts
  int64_t taken = 0; ///< accepted texts
};

class Search {
public:
  /// Observes accepted texts and progress. The search ends if `taken` or `goesOn` returns false.
  struct Watcher {
    std::function<bool(const std::string &text)> taken;
    std::function<void(const Transformation &now, const Size &size, const Statistics &statistics)> progress;
    std::function<bool()> goesOn;
  };

  Search(const Subject &subject, Question &question, Watcher watcher)
      : subject(subject), question(question), watcher(std::move(watcher)) {}

  /// Reduces `text`, which must be interesting; returns an interesting text.
  std::string run(std::string text);

  const Statistics &statistics() const { return counts; }

private:
  /// A group of consecutive changes from `begin`, and the text with these changes.
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
  std::unordered_set<std::string> refused; ///< texts that are not interesting
};

} // namespace attnc::reduce
