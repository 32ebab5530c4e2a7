//===- DeviceImages.h - PTX device images, one for each architecture ---------------------------------------------===//
//
// One code module contains all device variants of all kernels. A device image is the part of it for one architecture
// (DeviceVariant), optimised for that architecture; the runtime loads the image that fits the device best. An
// architecture with the same functions as an older one gets no image, because PTX of the older one also runs on newer
// devices.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Backend/Backend.h"
#include "compiler/Pipeline/Job.h"

namespace attnc {

/// The part of the lowered device module for the architecture `image` (Target::image), as optimised LLVM IR.
mlir::FailureOr<LlvmCode> optimisedForImage(const Target &image, const Compilation &made);

/// Fills Program::images. Returns false if the compile ends here: after a dump of optimise or emit, or an error.
bool compileDeviceImages(Job &job);

} // namespace attnc
