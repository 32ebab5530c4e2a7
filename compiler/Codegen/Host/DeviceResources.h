//===- DeviceResources.h - what kernels take of a device's processors -------------------------------------------===//
//
// Each phase of each kernel, in each image that has it: the threads of a block and its shared memory are known here.
// Registers, and what did not fit in them, are known to the driver that compiles the PTX; where there is a `ptxas`, it
// says the same beforehand. How many blocks a processor has at a time follows:
//
//   the least that its threads, its blocks, its shared memory (a block takes 1 KB more than it has), each by
//   architecture, and 65536 registers allow: a quarter for each of four parts, of which a warp, that is in one of
//   them, has whole units of 256
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Backend/Ptxas.h"
#include "compiler/Codegen/Host/Program.h"

namespace attnc {

struct PhaseResources {
  std::string kernel;                         ///< empty of what lies between kernels
  std::string phase;                          ///< its function
  std::string architecture;                   ///< of the image
  int64_t threads;                            ///< of a block
  int64_t staticBytes;                        ///< shared memory that the function has itself
  int64_t launchBytes;                        ///< that a launch adds
  std::optional<FunctionResources> assembled; ///< what ptxas says
  std::optional<int64_t> blocks;              ///< that a processor has at a time, where that is known
};

/// What the phases of a program for devices take. Without `ptxas`, or where it refuses the code, only what is known
/// without it; `problem`, where that is given, then says what it said.
std::vector<PhaseResources> resourcesOf(const Program &program, const Ptxas *ptxas, std::string *problem = nullptr);

/// Shared memory that function `name` of PTX text has itself, in bytes.
int64_t staticSharedBytes(llvm::StringRef ptx, llvm::StringRef name);

/// Blocks that a processor has at a time: of `threads` threads that have so many registers each, and so many bytes
/// of shared memory. Nothing where the architecture's limits are not known here.
std::optional<int64_t> blocksAtATime(llvm::StringRef architecture, int64_t threads, int64_t registers,
                                     int64_t sharedBytes);

/// A table with a line a phase, and what is unknown.
void printResources(llvm::ArrayRef<PhaseResources> resources, llvm::raw_ostream &out);

} // namespace attnc
