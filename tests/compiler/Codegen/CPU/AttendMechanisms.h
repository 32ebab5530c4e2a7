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
  std::function<std::vector<HostArray>(const AttendKernel &)> captured = [](const AttendKernel &) {
    return std::vector<HostArray>();
  };
};

/// Return one mechanism for each mask; one for each kind of score, weight or statistic.
std::vector<Mechanism> maskMechanisms();
std::vector<Mechanism> scoreMechanisms();

void PrintTo(const Mechanism &mechanism, std::ostream *out);
std::string mechanismName(const testing::TestParamInfo<Mechanism> &info);

/// Compiles the kernel, whose sizes are dynamic, once and runs it at each size.
void expectOracleAt(const Mechanism &mechanism, AttendKernel kernel,
                    std::initializer_list<std::pair<int64_t, int64_t>> sizes, std::string_view target = "native");

/// Expects that data-dependent subscripts are checked, and that masked out-of-range reads are no error.
void expectCheckedSubscripts(std::string_view target);

} // namespace attnc
