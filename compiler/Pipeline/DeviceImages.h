//===- DeviceImages.h - PTX device images, one for each architecture ----------------------------------------------===//
//
// A kernel may have several device variants (DeviceVariant), such as code with `mma.sync` and code with `wgmma`. One
// code module contains all of them. The device image of an architecture (such as sm_90) contains the variants that this
// architecture supports, optimised for it; the runtime loads the image that fits the device best. An architecture with
// the same functions as an earlier one of the target's list gets no image, because PTX of an older architecture also
// runs on newer devices.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Backend/Backend.h"
#include "compiler/Pipeline/Job.h"

namespace attnc {

/// The functions of the lowered device module, Compilation::device, that the architecture `image` supports, as
/// optimised LLVM IR. `image` is a result of Target::image.
mlir::FailureOr<LlvmCode> optimisedForImage(const Target &image, const Compilation &made);

/// Compiles the images to PTX and stores them in Program::images. Returns false if the compile ends here: after a dump
/// of optimise or emit, or after an error.
bool compileDeviceImages(Job &job);

} // namespace attnc
