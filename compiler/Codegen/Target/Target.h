//===- Target.h - the processor or device that code is generated for ------------------------------------------===//
//
// A target is named on the command line (`--target`): `native` is the processor that runs the compiler, `x86-64-v3` and
// `x86-64-v4` are the levels of the x86-64 ABI, anything else is a processor name of LLVM (`skylake-avx512`, `znver4`).
// Kernels need fused multiply-add, so a processor without it (x86-64-v2 and older) is refused with the reason.
//
// `cuda:sm_80` and the like are NVIDIA devices by LLVM's names. `cuda` is all that there is code for: an image for the
// oldest, which all newer ones run, and one for sm_90a, whose warp groups have products of their own. A device runs the
// kernels; what lies between them runs on its `host()`.
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
#include <vector>

namespace llvm {
class TargetMachine;
}

namespace attnc {

/// Which images of a device's code have a function.
enum class DeviceVariant {
  Any,        ///< all of them
  Warps,      ///< those for devices whose warps multiply matrices each by itself: all but sm_90a
  WarpGroups, ///< those for sm_90a, where four warps multiply together
};

/// Whether code for `architecture` has functions of this form.
bool hasForm(std::string_view architecture, DeviceVariant form);

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
  std::vector<std::string> images; ///< of a device: an architecture each, the oldest first; the first is `cpu`

  /// The target called `name`; the error says what is wrong with it and proposes near names.
  static llvm::Expected<Target> resolve(std::string_view name);

  /// What runs the code between kernels: this target, or of a device the oldest processor that there is code for.
  Target host() const;

  /// Whether one of the images has functions of this form.
  bool has(DeviceVariant form) const;

  /// The target of one of the images alone.
  Target image(const std::string &architecture) const;

  /// Position-independent, most optimised code for this target.
  std::unique_ptr<llvm::TargetMachine> createMachine() const;
};

} // namespace attnc
