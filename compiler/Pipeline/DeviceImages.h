//===- DeviceImages.h - a device's code as text, once for each kind of device ------------------------------------===//
//
// All forms of all kernels lie in one code module. An image is what devices of one architecture take of it
// (DeviceVariant), optimised for that architecture; the runtime loads the one that fits the device best. An image with the
// same functions as an older one is not made: PTX for the older runs on newer devices too.
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
