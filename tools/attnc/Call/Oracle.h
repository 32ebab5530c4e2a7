//===- Oracle.h - comparison of a call with the double-precision interpreter --------------------------------------===//
#pragma once

#include "compiler/Pipeline/Compile.h"
#include "compiler/Reference/Reference.h"
#include "tools/attnc/Call/Invocation.h"

namespace attnc {

/// The deviation of one tensor from the oracle's after a call. The tensor is a result, or a parameter or state that the
/// call has updated.
struct Deviation {
  std::string name;
  bool isUpdated = false; ///< a parameter, or a state of a module or of an optimizer
  bool isReal = true;     ///< false for integers and booleans, which must be equal
  double largest = 1;     ///< largest |value| of the oracle
  /// |compiled - oracle| of the element that exceeds its limit most, or else is nearest to it. Infinite if one of the
  /// two is NaN or infinite and the other is not.
  double difference = 0;
  int64_t terms = 0;   ///< number of terms in the longest chain of sums
  double rounding = 0; ///< variation of that element among the rounding samples, if `terms` do not explain it
  /// Tolerance for --precision: a multiple of the change of this tensor when the oracle rounds stored tensors. If the
  /// bound of StorageBound.h is smaller, `storage` is that bound, and `storedBy` is the change; otherwise 0.
  double storage = 0;
  double storedBy = 0;
  int64_t ties = 0;               ///< integers that differ from the oracle's, but equal those of a rounding sample
  std::optional<double> constant; ///< the oracle's value if there are at least two elements and all are equal

  /// The limit of `difference`: c u sqrt(terms) largest (compiler/Reference/Tolerance.h) + c / 8 rounding + storage,
  /// where an infinite `storage` is omitted.
  double limit(double c) const;
  /// Whether all elements are within their limits.
  bool isWithin(double c) const { return difference <= limit(c); }
};

/// The oracle's value of a result, or of a state after the call.
struct Answer {
  reference::Array exact;
  Deviation allowed; ///< the tolerances; its difference is 0, and `largest` is at least 1
};

/// The current weights, by checkpoint name.
reference::Parameters parametersOf(const Invocation &call);

/// Compares `call`, which has run, with the oracle, which interprets the entry point on the same inputs and on the
/// weights `before` the call. `options` select the model, `made` is its compile. Returns the deviations of the results,
/// then those of parameters in the order of their names: of parameters that the entry point updates, and of others that
/// the call has changed all the same. Elements beyond limit(c) are tested by rounding samples (RoundingSamples.h).
///
/// With --precision bf16 or f16 the oracle also interprets `made`, which rounds the tensors that are stored in 16 bits,
/// and measures the change of each result. A result may differ from the oracle's by twice this change, because a sum
/// that is near the midpoint of two numbers may be rounded to either one; but not by more than the bound of
/// StorageBound.h, which is independent of the choice of stored tensors. An integer passes if it equals that of the
/// oracle, of a rounding sample or of the interpretation of `made`; with 16-bit storage, StorageBound.h limits the
/// number of different integers.
llvm::Expected<std::vector<Deviation>> compareWithOracle(const CompileOptions &options, const Compilation &made,
                                                         const Invocation &call, const reference::Parameters &before,
                                                         double c);

/// The model of `options` before fusion, which the oracle interprets.
llvm::Expected<std::unique_ptr<Compilation>> compileAsWritten(CompileOptions options);

/// The oracle's results, then states, for `call`, which has not run: exact values by the model as `written`, tolerances
/// also by its compile `made` with that precision.
llvm::Expected<std::vector<Answer>> answersOf(const Compilation &written, const Compilation &made, Precision precision,
                                              const Invocation &call);
/// Deviations of the results and states of a call that has run from the answers. Integers must be equal.
std::vector<Deviation> compareWithAnswers(const Invocation &call, llvm::ArrayRef<Answer> answers);

} // namespace attnc
