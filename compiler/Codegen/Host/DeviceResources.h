//===- DeviceResources.h - occupancy: resources of kernels on a device's multiprocessors --------------------------===//
//
// Resources of each phase of each kernel in each device image. The compiler determines the threads of a block and its
// shared memory. Registers and register spills are determined by the driver when it compiles the PTX; `ptxas`, if
// installed, reports them earlier. The number of resident blocks of a multiprocessor is the minimum of the numbers that
// its limits of threads, blocks, shared memory and registers allow. A block occupies 1 KB of shared memory more than it
// uses. A multiprocessor has 65536 registers, a quarter for each of four partitions; a warp belongs to one partition,
// and allocates registers in units of 256.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Backend/Ptxas.h"
#include "compiler/Codegen/Host/Program.h"

namespace attnc {

/// Resources of one function in one device image.
struct PhaseResources {
  std::string kernel;                         ///< empty for moves between kernels
  std::string phase;                          ///< name of its function
  std::string architecture;                   ///< of the device image
  int64_t threads;                            ///< threads of a block
  int64_t staticBytes;                        ///< static shared memory of the function
  int64_t launchBytes;                        ///< dynamic shared memory of a launch
  std::optional<FunctionResources> assembled; ///< resources reported by ptxas; null without its report
  std::optional<int64_t> blocks;              ///< resident blocks of a multiprocessor; null if unknown
};

/// Resources of the phases of a device program in each image that has them. With a null `ptxas`, or if it rejects the
/// code, registers are unknown; on a rejection, `problem`, if given, receives the output of ptxas.
std::vector<PhaseResources> resourcesOf(const Program &program, const Ptxas *ptxas, std::string *problem = nullptr);

/// Static shared memory of function `name` in PTX text, in bytes, with padding before dynamic shared memory. 0 if there
/// is no such function.
int64_t staticSharedBytes(llvm::StringRef ptx, llvm::StringRef name);

/// Resident blocks of a multiprocessor, for blocks of `threads` threads with `registers` registers each and
/// `sharedBytes` of shared memory. Null if the limits of the architecture are unknown.
std::optional<int64_t> blocksAtATime(llvm::StringRef architecture, int64_t threads, int64_t registers,
                                     int64_t sharedBytes);

/// Prints a table with a line for each phase.
void printResources(llvm::ArrayRef<PhaseResources> resources, llvm::raw_ostream &out);

} // namespace attnc
