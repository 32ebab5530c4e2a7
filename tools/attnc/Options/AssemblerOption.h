//===- AssemblerOption.h - the option --ptxas ---------------------------------------------------------------------===//
//
// NVIDIA's assembler, ptxas, reports the registers of device kernels. compile and explain run the program that the
// option names, or else the ptxas in PATH or CUDA_HOME, if there is one; with `none` they run no assembler.
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
  /// Fails if the option is given for a target that is a processor.
  llvm::Error checkUse(const Target &target) const;
  /// The resources of each function in each device image of a compiled program; registers, stack and spills are
  /// missing without an assembler. Warns if the assembler rejects the code. The result is empty for a program for
  /// processors.
  std::vector<PhaseResources> resourcesOf(const Program &program) const;

private:
  std::string program; ///< empty: search PATH and CUDA_HOME
};

} // namespace attnc
