//===- Ptxas.h - NVIDIA's assembler, where this machine has it --------------------------------------------------===//
//
// Objects hold PTX, which the driver compiles; nothing here is needed for that. Where there is a `ptxas`, it says what
// the driver will make of a function: registers, memory, and what it could not keep in registers.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// What a function of a device's code takes: of a thread, but for shared memory, which is of a block.
struct FunctionResources {
  std::string function;
  int64_t registers = 0;
  int64_t sharedBytes = 0; ///< that the function has itself, whatever its launch adds
  int64_t stackBytes = 0;
  int64_t spillBytes = 0; ///< that are stored and loaded because there are too few registers

  bool operator==(const FunctionResources &) const = default;
};

class Ptxas {
public:
  /// That of PATH, or else of $CUDA_HOME/bin.
  static std::optional<Ptxas> find();
  explicit Ptxas(std::string program) : program(std::move(program)) {}

  /// "13.0", of the toolkit that it came with; empty where it does not say.
  std::string version() const;

  struct Report {
    int exitCode = 0; ///< 0: it is code for the architecture
    std::string said; ///< all of it
    std::vector<FunctionResources> functions;

    /// It does not assemble, a function spills registers or has a stack, or products of warp groups wait for each
    /// other. Empty where all is well.
    std::string fault() const;
    /// Of the function that has most.
    int64_t registers() const;
  };
  /// `ptx` for `architecture`, such as sm_90a.
  Report assemble(llvm::StringRef ptx, llvm::StringRef architecture) const;

  /// What it says with -v.
  static std::vector<FunctionResources> read(llvm::StringRef said);

private:
  std::string program;
};

} // namespace attnc
