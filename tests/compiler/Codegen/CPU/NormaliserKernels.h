//===- NormaliserKernels.h - kernels of each normaliser under several masks ---------------------------------------===//
//
// Scores are exact in f32 (elements of q and k are quarters), and many are equal: a kernel that chooses the first of
// the largest scores must choose the same one as the oracle.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include <cmath>
#include <functional>

namespace attnc {

/// Components of an AttendKernel: the normaliser, with scores and a sink that fit it.
struct NormaliserCase {
  std::string name;
  std::string normaliser; ///< as in attn.attend
  std::string score = "%y = arith.addf %s, %zero : f32";
  std::string sink = ""; ///< empty: none
};

/// One or several cases for each normaliser.
inline std::vector<NormaliserCase> normaliserCases() {
  std::string positive = "%y0 = arith.mulf %s, %s : f32 %y = arith.addf %y0, %tenth : f32";
  return {
      {"softmax", "softmax"},
      {"softmax with a sink", "softmax", "%y = arith.mulf %s, %tenth : f32",
       "%z0 = tensor.extract %sinks[%h] : tensor<2xf32> %z = arith.addf %z0, %tenth : f32"},
      {"ratio", "ratio", positive},
      {"none", "none"},
      {"sparsemax", "entmax(2.0)"},
      {"entmax", "entmax(1.5)"},
      {"entmax with a whole exponent", "entmax(1.25)"},
      {"entmax with any exponent", "entmax(1.3)"},
      {"hard", "hard"},
      {"stick breaking", "stick_breaking"},
  };
}

/// A mask as a component of an AttendKernel; empty: no mask.
struct MaskCase {
  std::string name, mask;
};

/// Masks of indices and of %length, a tensor that every kernel of setCase() captures.
inline std::vector<MaskCase> maskCases() {
  return {{"no mask", ""},
          {"causal", "%m = arith.cmpi sle, %j, %i : index"},
          {"padded", "%x0 = tensor.extract %length[%h] : tensor<2xi32> %x1 = arith.index_cast %x0 : i32 to index "
                     "%m = arith.cmpi slt, %j, %x1 : index"},
          {"documents", "%w = arith.constant 25 : index %x0 = arith.floordivsi %i, %w : index "
                        "%x1 = arith.floordivsi %j, %w : index %m = arith.cmpi eq, %x0, %x1 : index"}};
}

/// Sets the components of a kernel for a case and a mask: normaliser, score, sink, mask, and the captured tensors
/// %sinks: f32[2] and %length: i32[2]. The kernel must have two heads.
inline void setCase(AttendKernel &kernel, const NormaliserCase &each, const std::string &mask) {
  kernel.normaliser = each.normaliser;
  kernel.score = each.score;
  kernel.sink = each.sink;
  kernel.mask = mask;
  kernel.captured = ", %sinks: tensor<2xf32>, %length: tensor<2xi32>";
  kernel.constants = "%zero = arith.constant 0.0 : f32 %tenth = arith.constant 0.1 : f32";
}

/// Returns the operands of such a kernel: q and k with elements that are multiples of 1/4, v, %sinks and %length. Under
/// the padded mask, head 0 has half of its keys.
inline std::vector<HostArray> exactOperands(const AttendKernel &kernel) {
  std::vector<HostArray> operands = kernel.operands();
  for (int number : {0, 1})
    for (int64_t i = 0; i < operands[number].size(); ++i)
      operands[number].f32()[i] = std::round(operands[number].f32()[i] * 4) / 4;
  operands.push_back(HostArray::of({2}, std::vector<float>{0.5f, -1.25f}));
  operands.push_back(HostArray::of({2}, std::vector<int32_t>{int32_t(kernel.keys / 2), int32_t(kernel.keys)}));
  return operands;
}

} // namespace attnc
