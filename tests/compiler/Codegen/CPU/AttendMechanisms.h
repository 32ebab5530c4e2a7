//===- AttendMechanisms.h - attention mechanisms in tests of kernels ----------------------------------------------===//
#pragma once

#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace attnc {

/// A mechanism: a kernel, and the operands that it captures besides q, k and v.
struct Mechanism {
  std::string name;
  AttendKernel kernel;
  /// Returns the captured operands for the sizes of the kernel.
  std::function<std::vector<HostArray>(const AttendKernel &)> captured = [](const AttendKernel &) {
    return std::vector<HostArray>();
  };
};

std::vector<Mechanism> maskMechanisms();  ///< one mechanism for each mask
std::vector<Mechanism> scoreMechanisms(); ///< one for each kind of score, weight or statistic

/// For GoogleTest: prints the name of a mechanism, and returns it as the name of a parameterised test.
void PrintTo(const Mechanism &mechanism, std::ostream *out);
std::string mechanismName(const testing::TestParamInfo<Mechanism> &info);

/// Compiles `kernel`, a variant of the mechanism's kernel with dynamic sizes, for `target`. Runs it at each pair of
/// numbers of queries and of keys, and expects the oracle's results.
void expectOracleAt(const Mechanism &mechanism, AttendKernel kernel,
                    std::initializer_list<std::pair<int64_t, int64_t>> sizes, std::string_view target = "native");

/// Expects that kernels for `target` check data-dependent subscripts at run time, and that a subscript out of range of
/// a masked pair is no error.
void expectCheckedSubscripts(std::string_view target);

} // namespace attnc
