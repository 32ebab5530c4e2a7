//===- AssemblerOption.h - the option --ptxas ---------------------------------------------------------------------===//
//
// NVIDIA's assembler, ptxas, reports the registers of device kernels. The commands compile and explain run the program
// that the option names. Without the option they run the ptxas of PATH or CUDA_HOME, if there is one. With
// `--ptxas none` they run no assembler.
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
  /// Adds --ptxas to a command, whose parse stores the value here. This object must outlive the parse.
  void addTo(CLI::App &command);
  bool isGiven() const { return !program.empty(); }
  /// An error if the option is given and `target` is a processor, not a device.
  llvm::Error checkUse(const Target &target) const;
  /// Runs the assembler on the device images of a compiled program, and returns the resources of each kernel phase in
  /// each image. Registers, stack and spills are null without an assembler, or if the assembler fails; the latter also
  /// prints a warning. Empty for a program for processors.
  std::vector<PhaseResources> resourcesOf(const Program &program) const;

private:
  std::string program; ///< path, or "none"; empty: search PATH and CUDA_HOME
};

} // namespace attnc
