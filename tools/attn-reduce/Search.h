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
  /// Observes the search. All three functions must be set.
  struct Watcher {
    /// Called with each accepted text; the search ends if it returns false.
    std::function<bool(const std::string &text)> taken;
    /// Called before each test, with the size of the smallest text so far.
    std::function<void(const Transformation &now, const Size &size, const Statistics &statistics)> progress;
    /// Called before each test; the search ends if it returns false.
    std::function<bool()> goesOn;
  };

  Search(const Subject &subject, Question &question, Watcher watcher)
      : subject(subject), question(question), watcher(std::move(watcher)) {}

  /// Reduces `text`, which must be interesting; returns the last accepted text, or `text` if none was accepted.
  std::string run(std::string text);

  const Statistics &statistics() const { return counts; }

private:
  /// A group of consecutive changes from `begin`, and the text with these changes.
  struct Attempt {
    size_t begin;
    std::string text;
  };
  /// Replaces `current` by smaller interesting texts while there are any; returns whether it has changed.
  bool reduceBy(const Transformation &transformation);
  /// Tests the groups of `length` changes from `begin` on. Returns the first interesting one; null if there is none.
  std::optional<Attempt> attempt(const Transformation &transformation, const Changes &changes, size_t begin,
                                 size_t length);

  const Subject &subject;
  Question &question;
  Watcher watcher;
  Statistics counts;
  bool isStopped = false;
  std::string current;                     ///< the smallest interesting text so far
  std::unordered_set<std::string> refused; ///< texts that are not interesting
};

} // namespace attnc::reduce
