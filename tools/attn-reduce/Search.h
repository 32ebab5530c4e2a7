//===- Search.h - hierarchical delta debugging --------------------------------------------------------------------===//
//
// A round applies each transformation in order, from coarse to fine. For a transformation with `inGroups`, the search
// tries groups of consecutive changes: all at once, then halves, quarters, and so on to single changes (Zeller and
// Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002); for others, single changes only. The changes
// of model files are in the order of "HDD: Hierarchical Delta Debugging" (Misherghi and Su, 2006): outer nodes of the
// tree before inner ones. Rounds repeat until one changes nothing. The result is then 1-minimal, unless the search was
// stopped: no single change of any transformation gives a smaller interesting text.
//
// Each accepted text is smaller than the one before (`Size`), so the search terminates. The search accepts the first
// interesting candidate of its order, so the result does not depend on the number of parallel tests.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attn-reduce/Question.h"
#include "tools/attn-reduce/Subject.h"

#include <unordered_set>

namespace attnc::reduce {

/// Counts since the Search was created.
struct Statistics {
  int64_t rounds = 0; ///< completed rounds; at the end also the last one, which changed nothing or was stopped
  int64_t tried = 0;  ///< candidates that were given to the Question, also those that it did not finish
  int64_t taken = 0;  ///< accepted candidates
};

class Search {
public:
  /// Functions by which the caller observes and stops the search. All three must be set.
  struct Watcher {
    /// Called with each accepted text; a result of false ends the search.
    std::function<bool(const std::string &text)> taken;
    /// Called before each candidate is tested, with the transformation that gave it, and with the size of the smallest
    /// interesting text so far.
    std::function<void(const Transformation &now, const Size &size, const Statistics &statistics)> progress;
    /// Called before each transformation and each candidate. A result of false ends the search after the tests that
    /// run, one of which may still be accepted; all later calls must return false, too.
    std::function<bool()> goesOn;
  };

  /// `subject` and `question` must outlive the search.
  Search(const Subject &subject, Question &question, Watcher watcher)
      : subject(subject), question(question), watcher(std::move(watcher)) {}

  /// Reduces `text`. The caller has tested that `text` is interesting. Returns the last accepted text, which is the
  /// smallest one, also if the search was stopped; `text` if none was accepted. Called once.
  std::string run(std::string text);

  const Statistics &statistics() const { return counts; }

private:
  /// A candidate: the number `begin` of the first change of a group, and the text with the changes of the group.
  struct Attempt {
    size_t begin;
    std::string text;
  };
  /// Applies one transformation: replaces `current` by smaller interesting texts, with groups of all lengths. Returns
  /// whether `current` has changed.
  bool reduceBy(const Transformation &transformation);
  /// Cuts the changes from number `begin` on into groups of `length` changes, and tests them in order. Returns the
  /// first interesting candidate that is smaller than `current`; null if there is none.
  std::optional<Attempt> attempt(const Transformation &transformation, const Changes &changes, size_t begin,
                                 size_t length);

  const Subject &subject;
  Question &question;
  Watcher watcher;
  Statistics counts;
  bool isStopped = false;
  std::string current;                     ///< the smallest interesting text so far
  std::unordered_set<std::string> refused; ///< texts that were tested and are not interesting
};

} // namespace attnc::reduce
