//===- Target.h - the processor or device that code is generated for ------------------------------------------===//
//
// A target is named on the command line (`--target`): `native` is the processor that runs the compiler, `x86-64-v3` and
// `x86-64-v4` are the levels of the x86-64 ABI, anything else is a processor name of LLVM (`skylake-avx512`, `znver4`).
// Kernels need fused multiply-add, so a processor without it (x86-64-v2 and older) is refused with the reason.
//
// `cuda:sm_80` and the like are NVIDIA devices by LLVM's names, `cuda` is the oldest of them that there is code for. A
// device runs the kernels; what lies between them runs on its `host()`.
//
// The numbers below drive schedules; they describe one core, or a thread of a device:
//
//            vectorBits  f32Lanes  vectorRegisters
//   AVX2     256         8         16
//   AVX-512  512         16        32
//   device   128         4         -
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace llvm {
class TargetMachine;
}

namespace attnc {

struct Target {
  std::string name;     ///< as the user gave it
  std::string triple;   ///< LLVM triple
  std::string cpu;      ///< LLVM processor name
  std::string features; ///< LLVM feature list, "+avx2,+fma,..."; what `cpu` implies need not be there
  int64_t vectorBits = 0;
  int64_t f32Lanes = 0;
  int64_t vectorRegisters = 0;
  bool hasAvx512 = false;
  bool isDevice = false;

  /// The target called `name`; the error says what is wrong with it and proposes near names.
  static llvm::Expected<Target> resolve(std::string_view name);

  /// What runs the code between kernels: this target, or of a device the oldest processor that there is code for.
  Target host() const;

  /// Position-independent, most optimised code for this target.
  std::unique_ptr<llvm::TargetMachine> createMachine() const;
};

} // namespace attnc
