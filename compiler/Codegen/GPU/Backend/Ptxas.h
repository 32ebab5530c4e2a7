//===- Ptxas.h - NVIDIA's PTX assembler, if it is installed -------------------------------------------------------===//
//
// Objects contain PTX, which the driver compiles; a compile does not need `ptxas`. Tests and tools run it, where it is
// installed, to find the resources of each function: registers, shared memory, stack and register spills.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// Resources of a device function: of a thread, except for shared memory, which belongs to a block.
struct FunctionResources {
  std::string function;
  int64_t registers = 0;
  int64_t sharedBytes = 0; ///< static shared memory; a launch may add dynamic shared memory
  int64_t stackBytes = 0;
  int64_t spillBytes = 0; ///< register spills: bytes stored and loaded

  bool operator==(const FunctionResources &) const = default;
};

class Ptxas {
public:
  /// Finds `ptxas` in PATH, or else in $CUDA_HOME/bin; null if it is in neither.
  static std::optional<Ptxas> find();
  explicit Ptxas(std::string program) : program(std::move(program)) {}

  /// The version of its CUDA toolkit, such as "13.0"; empty if the output has no version.
  std::string version() const;

  struct Report {
    int exitCode = 0;                         ///< 0 if the text assembled; negative if ptxas could not be run
    std::string output;                       ///< standard output and standard error
    std::vector<FunctionResources> functions; ///< of the PTX kernels

    /// The fault: the text does not assemble, a function has a stack or spills, or ptxas serialised `wgmma` products
    /// (warning C75..). Empty if there is none.
    std::string fault() const;
    /// The largest number of registers of a function.
    int64_t registers() const;
  };
  /// Assembles `ptx` for `architecture`, such as sm_90a.
  Report assemble(llvm::StringRef ptx, llvm::StringRef architecture) const;

  /// Parses the output of `ptxas -v`: the resources of each PTX kernel. Lines of other forms are ignored.
  static std::vector<FunctionResources> read(llvm::StringRef output);

private:
  std::string program;
};

} // namespace attnc
