//===- AttendMechanisms.h - attention mechanisms that kernels are tested with ------------------------------------===//
#pragma once

#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace attnc {

/// What makes a mechanism, and the operands that it captures besides q, k and v.
struct Mechanism {
  std::string name;
  AttendKernel kernel;
  std::function<std::vector<HostArray>(const AttendKernel &)> captured = [](const AttendKernel &) {
    return std::vector<HostArray>();
  };
};

/// One a mask, and one a way to score, weigh or yield.
std::vector<Mechanism> maskMechanisms();
std::vector<Mechanism> scoreMechanisms();

void PrintTo(const Mechanism &mechanism, std::ostream *out);
std::string mechanismName(const testing::TestParamInfo<Mechanism> &info);

/// The kernel, whose sizes are dynamic, is compiled once and run at each size.
void expectOracleAt(const Mechanism &mechanism, AttendKernel kernel,
                    std::initializer_list<std::pair<int64_t, int64_t>> sizes, std::string_view target = "native");

/// A subscript that comes from data is checked, and what is read where it is out of range is no fault.
void expectCheckedSubscripts(std::string_view target);

} // namespace attnc
