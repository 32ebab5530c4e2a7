//===- Oracle.h - comparison of a call with the double-precision interpreter --------------------------------------===//
#pragma once

#include "compiler/Pipeline/Compile.h"
#include "compiler/Reference/Reference.h"
#include "tools/attnc/Call/Invocation.h"

namespace attnc {

/// How far one tensor lies after a call from what the oracle computes: a result, or a parameter that the call updates.
struct Deviation {
  std::string name;
  bool isUpdated = false; ///< a parameter, or a state of a module or of an optimizer
  bool isReal = true;     ///< integers and truths have to be equal
  double largest = 1;     ///< largest |value| of the oracle's
  /// |compiled - oracle| of the element that is farthest beyond what is allowed, or else nearest to it; infinite where
  /// one is NaN or infinite and the other is not.
  double difference = 0;
  int64_t terms = 0;   ///< of the longest chain of sums behind it
  double rounding = 0; ///< how far rounding moves that element (RoundingSamples.h), where sums don't explain it
  double storage = 0;  ///< what --precision may add: a multiple of how far the oracle's rounding moves it, or inf
  double storedBy = 0; ///< where StorageBound.h allows less than that: how far the oracle's rounding moves it
  int64_t ties = 0;    ///< integers that are other than the oracle's, but what rounding makes of them
  std::optional<double> constant; ///< the oracle's value where it is the same in all elements, of which there are two

  /// c u sqrt(terms) largest: how far the tensor may lie from the oracle's (compiler/Reference/Tolerance.h), and how
  /// far rounding moves the element, c / 8 times. What is stored in fewer bits adds `storage`, if that is finite.
  double limit(double c) const;
  /// Whether all elements are within their limits.
  bool isWithin(double c) const { return difference <= limit(c); }
};

/// What the oracle says that a call gives: a result, or a state as it is afterwards.
struct Answer {
  reference::Array exact;
  Deviation allowed; ///< of the exact answer itself: its difference is 0, its largest value 1 at least
};

/// The weights as they are now, by their names in checkpoints.
reference::Parameters parametersOf(const Invocation &call);

/// Interprets the entry point of `call`, which has run, on the same inputs and the weights that it found. `options` say
/// which model, `made` what was compiled of it. Results come first, then what is updated, or should not have been, by
/// name. Elements beyond limit(c) are explained, if rounding explains them, by interpreting again with rounding drawn.
///
/// What --precision bf16 may add: the oracle interprets `made` too, and rounds what that stores in 16 bits. A result
/// may lie twice as far off as there, for a sum in f32 that is near the middle of two numbers goes to the other one;
/// but not farther than StorageBound.h says, which knows nothing of what is stored.
/// Integers other than the oracle's are right where it gives them itself with such rounding, or with formulas in f32,
/// and where tensors are stored in 16 bits, no more of them than StorageBound.h says.
llvm::Expected<std::vector<Deviation>> compareWithOracle(const CompileOptions &options, const Compilation &made,
                                                         const Invocation &call, const reference::Parameters &before,
                                                         double c);

/// The model of `options` as it is written: what the oracle interprets, for all calls of its entry points.
llvm::Expected<std::unique_ptr<Compilation>> compileAsWritten(CompileOptions options);

/// Results, then states, of the entry point of `call`, which has not run; of the model as it is written and as it was
/// compiled, with that precision.
llvm::Expected<std::vector<Answer>> answersOf(const Compilation &written, const Compilation &made, Precision precision,
                                              const Invocation &call);
/// How far results and states of a call that has run lie from the answers. Integers have to be equal.
std::vector<Deviation> compareWithAnswers(const Invocation &call, llvm::ArrayRef<Answer> answers);

} // namespace attnc
