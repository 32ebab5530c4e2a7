//===- Oracle.h - comparison of a call with the double-precision interpreter --------------------------------------===//
#pragma once

#include "compiler/Pipeline/Compile.h"
#include "compiler/Reference/Reference.h"
#include "tools/attnc/Call/Invocation.h"

namespace attnc {

/// The deviation of one tensor after a call from the same tensor of the oracle. The tensor is a result, or a parameter
/// or state that the call has updated. `c` below is the factor of the tolerance, 8 by default.
struct Deviation {
  std::string name;       ///< of the result, parameter or state
  bool isUpdated = false; ///< a parameter, or a state among the parameters; false for states among the inputs
  bool isReal = true;     ///< false for integers, booleans and parameters changed by mistake, which must be equal
  double largest = 1;     ///< largest |value| of the oracle
  /// |compiled - oracle| of the element that exceeds its limit most; if all are within their limits, of the element
  /// that comes nearest to its limit. Infinite if one of the two values is NaN or infinite and the other is different.
  double difference = 0;
  int64_t terms = 0; ///< number of terms in the longest chain of sums that the oracle computed for this tensor
  /// Variation of the element of `difference` among the rounding samples; 0 if the difference is within the limit of
  /// `terms`, so that no samples were needed.
  double rounding = 0;
  /// Tolerance for --precision other than f32: twice (tf32: four times) the change of this tensor when the oracle
  /// rounds stored tensors; for bf16 and f16 at most the bound of StorageBound.h. 0 for f32 and for
  /// parameters, and for bf16 and f16 if the entry point has no tensor of 16 bits; infinite if the change is.
  double storage = 0;
  double storedBy = 0; ///< the change, if `storage` is the bound; otherwise 0
  int64_t ties = 0;    ///< integers that differ from the oracle's, but equal those of a rounding sample
  /// The oracle's value if there are at least two elements and all are equal; null for parameters.
  std::optional<double> constant;

  /// The limit of `difference`: c u sqrt(terms) largest (compiler/Reference/Tolerance.h) + c / 8 rounding + storage,
  /// where an infinite `storage` is omitted; 0 if the tensor is not real. u is the unit roundoff of f32.
  double limit(double c) const;
  /// Whether all elements are within their limits.
  bool isWithin(double c) const { return difference <= limit(c); }
};

/// The oracle's value of a result, or of a state after the call.
struct Answer {
  reference::Array exact;
  Deviation allowed; ///< the tolerances: a Deviation with difference 0 and `largest` of at least 1
};

/// Copies of the current weights that are in memory (Invocation::parameters), by their names in checkpoints.
reference::Parameters parametersOf(const Invocation &call);

/// Compares `call`, which has run once, with the oracle. The oracle interprets the entry point on the same inputs, and
/// on the weights `before`, which parametersOf() returned before the call; the oracle needs all of them, so the call
/// must have InvocationOptions::keepsParameters. States among the inputs are as the call has left them: to append the
/// same rows again changes nothing. `options` are those of the compile `made`, which produced the called object.
/// Returns the deviations of the results, then of the states among the inputs, then, if the entry point updates
/// parameters, of parameters in the order of their names: those that it updates, and others that the call has changed
/// by mistake. Elements beyond limit(c) are tested by rounding samples (RoundingSamples.h). An error if the model lacks
/// the entry point, or cannot be compiled or interpreted.
///
/// With --precision bf16 or f16 the oracle also interprets the module of `made`, which rounds the tensors that are
/// stored in 16 bits, and measures the change of each result. A result may differ from the oracle's by twice this
/// change, because a sum near the midpoint of two numbers may be rounded to either one. The difference must not exceed
/// the bound of StorageBound.h, which is independent of the choice of stored tensors. An integer passes if it equals
/// the integer of the oracle, of a rounding sample or of the interpretation of `made`; with 16-bit storage,
/// StorageBound.h limits the number of different integers.
llvm::Expected<std::vector<Deviation>> compareWithOracle(const CompileOptions &options, const Compilation &made,
                                                         const Invocation &call, const reference::Parameters &before,
                                                         double c);

/// Compiles the model of `options`, without its overrides, up to the phase derive: the module that the oracle
/// interprets. Runs the phase raise only if derive fails without it.
llvm::Expected<std::unique_ptr<Compilation>> compileAsWritten(CompileOptions options);

/// The oracle's values for `call`, which has not run: of its results, then of the states among its inputs. Requires
/// InvocationOptions::keepsParameters. The values are those of `written`, the result of compileAsWritten(). The
/// tolerances also depend on `made`, the compile of the called object with --precision `precision`.
llvm::Expected<std::vector<Answer>> answersOf(const Compilation &written, const Compilation &made, Precision precision,
                                              const Invocation &call);
/// The deviations of the results and states of `call`, which has run, from `answers` = answersOf() before the call, in
/// the same order. There are no rounding samples, so integers must equal the oracle's.
std::vector<Deviation> compareWithAnswers(const Invocation &call, llvm::ArrayRef<Answer> answers);

} // namespace attnc
