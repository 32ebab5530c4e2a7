//===- RandomProgram.h - whole programs, drawn at random ---------------------------------------------------------===//
//
// A program is well typed by construction: statements are drawn one after the other, each a tensor made of those before
// it, in index notation (subscripts that are reversed, shifted under a guard, or come from data), by reductions,
// `attend`, `scan`, products, and operations on whole tensors. Dimensions are `b`, `n`, `m`, `seq` and small numbers.
// An input of integers is named after the dimension that it subscripts, for its elements are drawn below that size.
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
// with states, of lists of modules), `incremental` and `decode`; beside the program, how it is compiled (refused
// fusions, schedules, emitter, precision) and the sizes that it is called with: 0, 1, odd and even.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/e2e/Subject.h"
#include <string>
#include <vector>

namespace attnc::programs {

struct RandomProgram {
  std::string text;
  e2e::Dimensions sizes;              ///< of the dimensions with names
  std::vector<std::string> overrides; ///< WHAT.KEY=VALUE
  std::string emitter = "auto";
  std::string precision = "f32";
  /// Whether f has derivatives everywhere: nothing in it jumps.
  bool isSmooth = true;
};

/// The same for the same number, on every machine.
RandomProgram randomProgram(uint64_t number);

} // namespace attnc::programs
