//===- GemmCase.h - a product written as in index notation, as MLIR and as plain loops ----------------------------===//
//
//   GemmCase c{"bsk", "kn", "bsn"};              // out[b,s,n] = sum over k of left[b,s,k] * right[k,n]
//   c.sizes = {{'b', 2}, {'s', 5}, {'k', 64}, {'n', 100}};
//   c.dynamic = "bs";                            // sizes that the kernel learns at run time
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
  std::string left, right, out;
  std::map<char, int64_t> sizes = {};
  std::string dynamic = "";
  std::vector<std::string> extras = {};
  std::string body = "";
  std::function<double(double, const double *)> formula = {};
  bool packed = false;
  int inPlaceExtra = -1; ///< the extra that shares its buffer with the result
  std::string schedule = "";
  std::string stored = "";     ///< "bf16" or "f16": how left, right and the result are stored, where that is not f32
  std::string attributes = ""; ///< of the kernel, besides: ", attn.tf32"

  std::string text(const Target &target) const;
  /// left, right, extras; the same for the same case.
  std::vector<HostArray> operands() const;
  /// The result in double precision, and the bound on the error of each element: 4 u sqrt(K) |left row * right column|
  /// before the epilogue, where u = 2^-24 and |.| is the Euclidean norm of the products; epilogues here have slopes of
  /// at most 2, and add 8 u times the size of the result for their own rounding.
  void reference(const std::vector<HostArray> &operands, std::vector<double> &result, std::vector<double> &bound) const;
  std::vector<int64_t> shapeOf(const std::string &subscripts) const;
  int64_t panelColumns(const Target &target) const;
  /// `right` as its kernel wants it.
  HostArray pack(const HostArray &right, int64_t nr) const;

private:
  /// The pointwise op behind the product; none where there is no body.
  std::string epilogue() const;
  std::string letters() const;
  std::string typeOf(const std::string &subscripts) const;
  std::string mapOf(const std::string &subscripts, const std::string &loops) const;
  std::string dims(const std::string &subscripts) const;
  bool isSummed(char letter) const { return out.find(letter) == std::string::npos; }
  bool rightIsTransposed() const { return isSummed(right.back()); }
};

} // namespace attnc
