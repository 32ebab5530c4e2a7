//===- Target.h - the processor or device that code is generated for ------------------------------------------===//
//
// The option `--target` names a target: `native` is the processor that runs the compiler, `x86-64-v3` and `x86-64-v4`
// are the levels of the x86-64 ABI, other names are LLVM's processor names (`skylake-avx512`, `znver4`). Kernels need
// fused multiply-add; a processor without it (x86-64-v2 and older) is an error. An object records `native` as a
// processor and its features, "znver4:+adx,-amx-bf16,...", which is a name too.
//
// `cuda:sm_80` and the like are NVIDIA devices by LLVM's names, from sm_80 on. `cuda` is all supported devices: it has
// an image for the oldest, which all newer ones run, and one for sm_90a, which has matrix products of warp groups. An
// image is omitted from the object if it would have the same functions as another one. A device runs the kernels; its
// `host()` runs the code between them.
//
// The instruction set (Isa.h) has the facts that schedules and instruction sequences depend on.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Target/Isa.h"
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

/// The device images that have a function.
enum class DeviceVariant {
  Any,        ///< all images
  Warps,      ///< images for devices where each warp multiplies matrices by itself: all but sm_90a
  WarpGroups, ///< images for sm_90a, where four warps multiply together
};

/// Whether code for a device `architecture`, such as "sm_80", has functions of this variant.
bool hasForm(std::string_view architecture, DeviceVariant form);

struct Target {
  std::string name;     ///< as the user gave it
  std::string cpu;      ///< LLVM processor name
  std::string features; ///< LLVM feature list, "+avx2,+fma,..."; features that `cpu` implies may be absent
  const Isa *isa = nullptr;
  int64_t vectorBits = 0, f32Lanes = 0, vectorRegisters = 0; ///< of the instruction set
  bool isDevice = false;
  std::vector<std::string> images; ///< on a device, the architecture of each image, from the oldest, which is `cpu`

  /// The target called `name`. Unknown names (the message proposes a similar one), processors without fused
  /// multiply-add and devices before sm_80 are errors.
  static llvm::Expected<Target> resolve(std::string_view name);

  const Architecture &architecture() const { return *isa->architecture; }

  /// The target of the code between kernels: this one, or for a device the oldest supported processor, x86-64-v3.
  Target host() const;

  /// Whether one of the images has functions of this variant.
  bool has(DeviceVariant form) const;

  /// The target of one of the images alone.
  Target image(const std::string &architecture) const;

  /// LLVM's code generator for this target: position-independent code at the highest optimisation level.
  std::unique_ptr<llvm::TargetMachine> createMachine() const;
};

} // namespace attnc
