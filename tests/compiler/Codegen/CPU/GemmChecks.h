//===- GemmChecks.h - checks of matrix products -------------------------------------------------------------------===//
//
// A case (GemmCase.h) is compiled by the CPU emitter, run, and compared with plain loops in double precision:
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

/// Checks the case with a bias, and with a residual that shares its buffer with the result.
void checkOverTheResidual(GemmCase c);

/// Bodies of cases and their formulas, with one and with two further operands.
extern const char *const biasGelu;
double gelu(double x);
extern const char *const biasResidual;

} // namespace attnc
