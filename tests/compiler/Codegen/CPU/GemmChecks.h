//===- GemmChecks.h - what tests of products share ----------------------------------------------------------------===//
//
// A case (GemmCase.h) is compiled by our emitter, run, and compared with plain loops in double precision:
//
//   GemmCase c{"km", "kn", "mn"};
//   c.sizes = {{'m', 64}, {'n', 128}, {'k', 3000}};
//   check(c);
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Target/Target.h"
#include "tests/compiler/Codegen/CPU/GemmCase.h"

namespace attnc {

Target target(const std::string &name = "native");

/// Runs the case on `targetName` with these options, and compares each element.
void check(const GemmCase &c, const RunOptions &options = {}, const std::string &targetName = "native");

/// With a bias, and a residual in the place of the result.
void checkOverTheResidual(GemmCase c);

/// Bodies of cases, with their formulas: of one further operand, and of two.
extern const char *const biasGelu;
double gelu(double x);
extern const char *const biasResidual;

} // namespace attnc
