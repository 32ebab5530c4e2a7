//===- StorageBound.h - how far storing tensors in fewer bits may move results ------------------------------------===//
//
// Storing a tensor in a type of roundoff u changes it as data do that are off by u. So a program that stores tensors so
// may be as far from the exact results as the program in f32 is where its inputs and weights are moved by u (mixed
// forward-backward stability: N. Higham, Accuracy and Stability of Numerical Algorithms, 1.5):
//
//   |stored - exact| <= 8 (response + u largest)        response = |exact(data (1 + d)) - exact(data)|, |d| = u
//
// where both sides are maxima over all elements of one result. The right side knows nothing of which tensors
// are stored: a position that was rounded, which is no data, does not move it. A program whose results are ill
// conditioned has a large response, and a wide bound.
//
// Integers follow real numbers that are compared. As many of them may differ as change when all data are moved by 8 u.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Reference.h"

namespace attnc::reference {

/// A call as the oracle runs it.
struct Interpretation {
  mlir::func::FuncOp function;
  std::vector<Array> inputs;
  Parameters parameters;

  llvm::Expected<std::vector<Array>> run(Rounding rounding = Rounding::None,
                                                    Parameters *updates = nullptr) const {
    return interpret(function, inputs, parameters, updates, rounding);
  }
  /// With real inputs and parameters multiplied by 1 + size or 1 - size, by the draw and the place of each.
  Interpretation moved(double size, uint32_t draw) const;
};

/// Of each result: how far storing tensors in a type of this roundoff may move it.
llvm::Expected<std::vector<double>> storageBounds(const Interpretation &asWritten,
                                                  llvm::ArrayRef<Array> exact, double roundoff);

/// Of each result of integers: how many of them storing tensors so may change.
llvm::Expected<std::vector<size_t>> changesByStorage(const Interpretation &asWritten,
                                                     llvm::ArrayRef<Array> exact, double roundoff);

} // namespace attnc::reference
