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

/// The target with this name, which must be valid.
Target target(const std::string &name = "native");

/// Compiles the case for `targetName`, runs it with these options, and expects that the difference of each element is
/// within GemmCase::reference().
void check(const GemmCase &c, const RunOptions &options = {}, const std::string &targetName = "native");

/// Checks the case, whose result is "mn", with an epilogue that adds a bias and a residual; the residual shares its
/// buffer with the result.
void checkOverTheResidual(GemmCase c);

/// Body of a case: GELU of the product plus one further operand, the bias. gelu() is its formula without the bias.
extern const char *const biasGelu;
double gelu(double x);
/// Body of a case: the product plus two further operands, the bias and the residual.
extern const char *const biasResidual;

} // namespace attnc
