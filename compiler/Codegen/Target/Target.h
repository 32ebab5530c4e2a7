//===- Target.h - the processor or device that code is generated for ----------------------------------------------===//
//
// The option `--target` names a target. `native` is the processor that runs the compiler, `x86-64-v3` and `x86-64-v4`
// are the levels of the x86-64 ABI, and other names are LLVM's processor names (`skylake-avx512`, `znver4`). A name
// other than `native` may add LLVM's features of the processor, "znver4:+adx,-amx-bf16,...": an object records `native`
// in this form. Kernels need AVX2 and fused multiply-add; a processor without them (x86-64-v2 and older) is an error.
//
// `cuda:sm_80` and the like are NVIDIA devices by LLVM's names, from sm_80 on. `cuda` is all supported devices: it has
// an image for sm_80, which all newer devices run, and one for sm_90a, which has matrix products of warp groups. An
// image is omitted from the object if it would have the same functions as another one. A device runs the kernels; its
// `host()` runs the code between them.
//
// A target refers to its instruction set (Isa.h). Schedules and instruction sequences depend on the fields of the
// instruction set, not on names of processors.
//
//===--------------------------------------------------------------------------------------------------------------===//
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

/// The device images that contain a function. An image is the PTX of a model for one architecture.
enum class DeviceVariant {
  Any,        ///< all images
  Warps,      ///< images for devices where each warp multiplies matrices by itself: all but sm_90a
  WarpGroups, ///< images for sm_90a, where four warps multiply together
};

/// Whether the image for a device `architecture`, such as "sm_80", contains functions of the variant `form`.
bool hasForm(std::string_view architecture, DeviceVariant form);

/// A processor, or the devices that one object supports. A target is valid if resolve(), host() or image() returned it.
struct Target {
  std::string name;         ///< the argument of resolve(): as the user gave it, or the name of a device's host
  std::string cpu;          ///< LLVM's name of the processor, or of the oldest device architecture of `images`
  std::string features;     ///< LLVM's feature list, "+avx2,+fma,..."; features that `cpu` implies may be absent
  const Isa *isa = nullptr; ///< the instruction set; not null in a valid target
  int64_t vectorBits = 0, f32Lanes = 0, vectorRegisters = 0; ///< of the instruction set; on a device 128, 4 and 0
  bool isDevice = false;
  std::vector<std::string> images; ///< on a device, the architecture of each image, oldest first; else empty

  /// The target called `name`. The error is a message for the user. Unknown names (the message may propose a similar
  /// one), features without a sign, processors without AVX2 and fused multiply-add, and devices before sm_80 are
  /// errors. LLVM ignores unknown features, with a warning on standard error.
  static llvm::Expected<Target> resolve(std::string_view name);

  const Architecture &architecture() const { return *isa->architecture; }

  /// The target of the code between kernels: a copy of this target, or, for a device, the oldest supported processor,
  /// x86-64-v3.
  Target host() const;

  /// Whether one of `images` contains functions of the variant `form`. On a processor false.
  bool has(DeviceVariant form) const;

  /// This device target, restricted to the image for `architecture`, one of `images`.
  Target image(const std::string &architecture) const;

  /// Creates LLVM's code generator for this target: position-independent code at the optimisation level
  /// of -O2 (decision 46).
  std::unique_ptr<llvm::TargetMachine> createMachine() const;
};

} // namespace attnc
