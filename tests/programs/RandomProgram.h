//===- RandomProgram.h - generator of random programs, for differential tests -------------------------------------===//
//
// A program is well typed by construction. Its statements are drawn one after the other; each computes a tensor from
// earlier tensors. A statement is index notation (with subscripts that are reversed, shifted under a guard, or
// data-dependent), a reduction, an `attend`, a `scan`, a product, or an operation on whole tensors. Dimensions are `b`,
// `n`, `m`, `seq` and small numbers. The name of an integer input contains the dimension that it subscripts, as in
// g2_n; its elements are drawn below the size of this dimension.
//
//   fn f(x0: f32[n, 4], x1: f32[m], g2_n: i32[n]) {
//     let t3 = [i1 < n] => (sum k2 < m where k2 <= 2 => tanh(x1[k2]))
//     let t4 = [i5 < m] => attend j6 < n { score: x0[j6, 2], mask: j6 <= i5, value: t3[g2_n[j6]] }
//     sum(sin(t4 + 0.3))
//   }
//   export f
//   export g = gradient(f)
//
// Every kind of export is drawn: functions, gradients, `attention`, `minimize` (over all fields or some, of modules
// with states, of lists of modules), `incremental` and `decode`. The options of the compile (refused fusions,
// schedules, emitter, precision) and the sizes of the calls (0, 1, odd and even) are drawn too.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/e2e/Subject.h"
#include <string>
#include <vector>

namespace attnc::programs {

struct RandomProgram {
  std::string text;                   ///< content of a model file
  e2e::Dimensions sizes;              ///< sizes of named dimensions in the calls
  std::vector<std::string> overrides; ///< values of --override: WHAT.KEY=VALUE
  std::string emitter = "auto";       ///< value of --emitter
  std::string precision = "f32";      ///< value of --precision
  bool isSmooth = true;               ///< f is differentiable everywhere
};

/// Returns the program with this number; equal numbers give equal programs on every machine.
RandomProgram randomProgram(uint64_t number);

} // namespace attnc::programs
