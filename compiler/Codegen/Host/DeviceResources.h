//===- DeviceResources.h - occupancy: resources of kernels on a device's multiprocessors --------------------------===//
//
// Resources of each kernel phase in each device image, for `attnc explain` and model.json. The compiler determines the
// threads of a block and its shared memory. The driver determines registers and register spills when it compiles the
// PTX; `ptxas`, if installed, reports them earlier. The number of resident blocks of a multiprocessor is the minimum of
// the numbers that its limits of threads, blocks, shared memory and registers allow. A block occupies 1 KB of shared
// memory more than it uses. A multiprocessor has 65536 registers, a quarter for each of four partitions; a warp belongs
// to one partition, and allocates registers in units of 256.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Backend/Ptxas.h"
#include "compiler/Codegen/Host/Program.h"

namespace attnc {

/// Resources of the function of one kernel phase in one device image.
struct PhaseResources {
  std::string kernel;                         ///< name; empty for moves between kernels (MoveKernels.h)
  std::string phase;                          ///< name of the function
  std::string architecture;                   ///< of the device image: "sm_80"
  int64_t threads;                            ///< threads of a block
  int64_t staticBytes;                        ///< static shared memory of a block (staticSharedBytes)
  int64_t launchBytes;                        ///< dynamic shared memory of a block (KernelPhase::blockBytes)
  std::optional<FunctionResources> assembled; ///< resources reported by ptxas; null without its report
  std::optional<int64_t> blocks;              ///< resident blocks of a multiprocessor; null if `assembled` is null or
                                              ///< the limits of the architecture are unknown
};

/// Resources of the kernel phases and moves of a program, for each device image that contains them: first all of the
/// first image. Empty for a program without images. `assembled` is null if `ptxas` is null, or does not report the
/// function, as after a failure. If ptxas fails for an image, `problem`, if not null, receives its output, for several
/// images that of the last one; otherwise `problem` is unchanged.
std::vector<PhaseResources> resourcesOf(const Program &program, const Ptxas *ptxas, std::string *problem = nullptr);

/// Static shared memory of the PTX kernel `name` in PTX text, in bytes, with the padding before its dynamic shared
/// memory. 0 if there is no such kernel.
int64_t staticSharedBytes(llvm::StringRef ptx, llvm::StringRef name);

/// Resident blocks of a multiprocessor of `architecture`, such as "sm_90a", for blocks of `threads` threads with
/// `registers` registers for each thread and `sharedBytes` bytes of static and dynamic shared memory. 0 if a single
/// block exceeds the limits. Null if the limits of the architecture are unknown. `threads` is positive.
std::optional<int64_t> blocksAtATime(llvm::StringRef architecture, int64_t threads, int64_t registers,
                                     int64_t sharedBytes);

/// Prints a heading, and a table with a line for each element of `resources`. Registers, stack, spills and resident
/// blocks (`unknown` if null) are columns only if `assembled` of an element is not null; they are empty in the lines of
/// other elements.
void printResources(llvm::ArrayRef<PhaseResources> resources, llvm::raw_ostream &out);

} // namespace attnc
