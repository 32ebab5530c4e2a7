//===- Ptxas.h - ptxas, NVIDIA's assembler, if installed ----------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace attnc {

bool hasPtxas(); ///< whether ptxas is found
/// Assembles PTX text for `architecture`, such as "sm_90a". Returns a description of its fault: the text does not
/// assemble, or one of its kernels spills registers or has a stack. Empty if there is none. Requires hasPtxas().
std::string ptxasFault(const std::string &ptx, const std::string &architecture);
/// Assembles PTX text, and returns the largest number of registers of a thread among its kernels. Requires hasPtxas().
int64_t ptxasRegisters(const std::string &ptx, const std::string &architecture);

} // namespace attnc
