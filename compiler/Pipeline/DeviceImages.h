//===- DeviceImages.h - a device's code as text, once for each kind of device ------------------------------------===//
//
// One code module holds all device variants of all kernels. A device image contains the functions of one architecture
// (DeviceVariant), optimised for it; the runtime loads the best one that the device supports. No image repeats the
// functions of an older architecture, because newer devices run its PTX.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Backend/Backend.h"
#include "compiler/Pipeline/Job.h"

namespace attnc {

/// What devices of `image` (Target::image) take of a module that was lowered, as LLVM IR, optimised.
mlir::FailureOr<LlvmCode> optimisedForImage(const Target &image, const Compilation &made);

/// Fills Program::images. False where the compile ends here: a dump of the optimise or emit phase, or a fault.
bool compileDeviceImages(Job &job);

} // namespace attnc
