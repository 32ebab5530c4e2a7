//===- AssemblerOption.h - --ptxas ------------------------------------------------------------------------------===//
//
// What a device's kernels take of its processors is known where there is NVIDIA's assembler: compile and explain run
// that of PATH or CUDA_HOME, or the one that is named, or none.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/DeviceResources.h"
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace attnc {

class AssemblerOption {
public:
  void addTo(CLI::App &command);
  bool isGiven() const { return !program.empty(); }
  /// Says so where it is given, and the target's kernels are a processor's.
  llvm::Error checkUse(const Target &target) const;
  /// Warns where the assembler refuses the code. Nothing of a program for processors.
  std::vector<PhaseResources> resourcesOf(const Program &program) const;

private:
  std::string program; ///< empty: the one that is found
};

} // namespace attnc
