//===- StorageBound.h - error bound of programs whose tensors are stored in 16 bits -------------------------------===//
//
// Storing a tensor in a type of unit roundoff u changes each element by a relative error of at most u. The error of the
// results is therefore bounded by the response of the exact program to relative perturbations d of size u of its inputs
// and weights (mixed forward-backward stability: N. Higham, Accuracy and Stability of Numerical Algorithms, 1.5):
//
//   |stored - exact| <= 8 (response + u largest)        response = |exact(data (1 + d)) - exact(data)|, |d| = u
//
// Here `stored` are the results of the program with 16-bit tensors, `exact` those of the oracle, `largest` the largest
// |exact|, and both sides are maxima over all elements of one result; differences that are infinite or NaN are ignored.
// The bound does not depend on the choice of stored tensors; in particular, a rounded position, which is not data, does
// not widen it. An ill-conditioned program has a large response and therefore a wide bound.
//
// Integer results depend on comparisons of real numbers. The number of integers that may differ is the number that
// change under perturbations of size 8 u.
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Reference.h"

namespace attnc::reference {

/// The arguments of interpret() (Reference.h) for one run of the oracle.
struct Interpretation {
  mlir::func::FuncOp function;
  std::vector<Array> inputs;
  Parameters parameters;

  llvm::Expected<std::vector<Array>> run(Rounding rounding = Rounding::None,
                                                    Parameters *updates = nullptr) const {
    return interpret(function, inputs, parameters, updates, rounding);
  }
  /// A copy in which each F32 element of inputs and parameters is multiplied by 1 + size or 1 - size, with random signs
  /// from the seed `draw`.
  Interpretation moved(double size, uint32_t draw) const;
};

/// Returns, for each result, the right side of the bound above for storage in a type of unit roundoff `roundoff`.
/// `exact` has the results of asWritten.run(). The response is the largest of two runs with random signs. Fails if a
/// run fails.
llvm::Expected<std::vector<double>> storageBounds(const Interpretation &asWritten,
                                                  llvm::ArrayRef<Array> exact, double roundoff);

/// Returns, for each result, the number of elements that change under perturbations of size 8 u: the largest of eight
/// runs with random signs. `exact` has the results of asWritten.run(). Fails if a run fails.
llvm::Expected<std::vector<size_t>> changesByStorage(const Interpretation &asWritten,
                                                     llvm::ArrayRef<Array> exact, double roundoff);

} // namespace attnc::reference
