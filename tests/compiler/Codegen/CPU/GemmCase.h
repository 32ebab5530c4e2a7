//===- GemmCase.h - matrix product in index notation, as MLIR and as plain loops ----------------------------------===//
//
// Each operand and the result is a word of one letter for each dimension. A letter that the result lacks is summed
// over.
//
//   GemmCase c{"bsk", "kn", "bsn"};              // out[b,s,n] = sum over k of left[b,s,k] * right[k,n]
//   c.sizes = {{'b', 2}, {'s', 5}, {'k', 64}, {'n', 100}};
//   c.dynamic = "bs";                            // dynamic sizes
//   c.extras = {"n", "bsn"};                     // further operands of the epilogue: %x0, %x1
//   c.body = "%y = arith.addf %p, %x0 : f32";    // from the product %p to %y
//   c.formula = [](double p, const double *x) { return p + x[0]; };
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/support/KernelRunner.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace attnc {

struct GemmCase {
  std::string left, right, out;         ///< subscripts of the two operands and of the result
  std::map<char, int64_t> sizes = {};   ///< size of each letter
  std::string dynamic = "";             ///< letters whose size is dynamic in the kernel
  std::vector<std::string> extras = {}; ///< subscripts of further operands of the epilogue: %x0, %x1
  std::string body = "";                ///< ops of the epilogue, from the product %p to %y; empty: no epilogue
  /// The epilogue in double precision: from the product and the elements of the extras to the result.
  std::function<double(double, const double *)> formula = {};
  bool packed = false;         ///< `right` is a packed weight
  int inPlaceExtra = -1;       ///< the extra operand that shares its buffer with the result
  std::string schedule = "";   ///< entries of attn.schedule
  std::string stored = "";     ///< "bf16" or "f16": storage type of left, right and the result; empty: f32
  std::string attributes = ""; ///< further attributes of the kernel: ", attn.tf32"

  std::string text(const Target &target) const; ///< the kernel function
  /// Returns random operands, left, right and extras, which are equal for equal cases.
  std::vector<HostArray> operands() const;
  /// Computes the result in double precision, and a bound of the error of each element: 4 u sqrt(K) |left row * right
  /// column| before the epilogue, with u = 2^-24 and |.| the Euclidean norm of the products. Epilogues here have slopes
  /// of at most 2, and add 8 u times the magnitude of the result for their own rounding.
  void reference(const std::vector<HostArray> &operands, std::vector<double> &result, std::vector<double> &bound) const;
  std::vector<int64_t> shapeOf(const std::string &subscripts) const; ///< the sizes of these letters
  int64_t panelColumns(const Target &target) const;                  ///< nr, the columns of a packed panel
  /// Returns `right`, the plain matrix, packed in panels of `nr` columns, as its kernel reads it.
  HostArray pack(const HostArray &right, int64_t nr) const;

private:
  /// The pointwise op after the product; empty without a body.
  std::string epilogue() const;
  std::string letters() const;
  std::string typeOf(const std::string &subscripts) const;
  std::string mapOf(const std::string &subscripts, const std::string &loops) const;
  std::string dims(const std::string &subscripts) const;
  bool isSummed(char letter) const { return out.find(letter) == std::string::npos; }
  bool rightIsTransposed() const { return isSummed(right.back()); }
};

} // namespace attnc
