//===- Ptxas.h - NVIDIA's PTX assembler, if it is installed -------------------------------------------------------===//
//
// Objects contain PTX, which the driver compiles when a model is loaded; a compile does not need `ptxas`. Where `ptxas`
// is installed, tests and tools run it to find the resources of each function: registers, shared memory, stack and
// register spills.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// Resources of one PTX kernel. All are of one thread, except for shared memory, which is of a block.
struct FunctionResources {
  std::string function;    ///< name of the PTX kernel
  int64_t registers = 0;   ///< 32-bit registers
  int64_t sharedBytes = 0; ///< static shared memory; a launch may add dynamic shared memory
  int64_t stackBytes = 0;  ///< stack frame, in local memory
  int64_t spillBytes = 0;  ///< register spills: bytes of the stores plus bytes of the loads

  bool operator==(const FunctionResources &) const = default;
};

/// An installed `ptxas`. version() and assemble() run the program and wait for its end.
class Ptxas {
public:
  /// Finds `ptxas` in PATH, or else in $CUDA_HOME/bin; null if it is in neither.
  static std::optional<Ptxas> find();
  /// `program` is the path of a `ptxas`.
  explicit Ptxas(std::string program) : program(std::move(program)) {}

  /// The version of its CUDA toolkit, such as "13.0"; empty if `ptxas --version` prints none, or cannot be run.
  std::string version() const;

  /// The result of one run of ptxas.
  struct Report {
    int exitCode = 0;   ///< 0 if the text assembled; negative if ptxas could not be run or crashed
    std::string output; ///< standard output and standard error of ptxas, or why it could not be run
    std::vector<FunctionResources> functions; ///< of the PTX kernels, in the order of the output

    /// A message, if the text does not assemble, a PTX kernel has a stack or spills, or ptxas serialised `wgmma`
    /// products (warning C75..). Otherwise empty.
    std::string fault() const;
    /// The largest number of registers of a PTX kernel; 0 if `functions` is empty.
    int64_t registers() const;
  };
  /// Assembles the text `ptx` for `architecture`, such as sm_90a; the machine code is discarded.
  Report assemble(llvm::StringRef ptx, llvm::StringRef architecture) const;

  /// Parses the output of `ptxas -v`: the resources of each PTX kernel. Lines of other forms are ignored.
  static std::vector<FunctionResources> read(llvm::StringRef output);

private:
  std::string program;
};

} // namespace attnc
