//===- Ptxas.h - NVIDIA's assembler, where this machine has it -------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace attnc {

bool hasPtxas();
/// What is wrong with `ptx` for `architecture`: it does not assemble, or a kernel of it spills registers or has a
/// stack. Nothing where all is well. Requires hasPtxas().
std::string ptxasFault(const std::string &ptx, const std::string &architecture);
/// The most registers that a thread of one of its kernels has. Requires hasPtxas().
int64_t ptxasRegisters(const std::string &ptx, const std::string &architecture);

} // namespace attnc
