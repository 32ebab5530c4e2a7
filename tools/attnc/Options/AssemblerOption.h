//===- AssemblerOption.h - --ptxas --------------------------------------------------------------------------------===//
//
// NVIDIA's assembler reports the registers of a device's kernels. compile and explain run the named one, else that of
// PATH or CUDA_HOME; `none` runs none.
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
  /// An error where the option is given and the target is a processor.
  llvm::Error checkUse(const Target &target) const;
  /// Warns where the assembler refuses the code. Nothing of a program for processors.
  std::vector<PhaseResources> resourcesOf(const Program &program) const;

private:
  std::string program; ///< empty: the one that is found
};

} // namespace attnc
