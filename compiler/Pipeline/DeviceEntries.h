//===- DeviceEntries.h - the entry points that a device can run ---------------------------------------------------===//
//
// Not all that processors run has code for a device. A compile for one leaves out the entry points that do not, and
// warns of each with the place and the reason; where none would be left, which is also where one was asked for by name
// and is the only one, the first reason is an error.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// Requires a module behind fuse. Kernels that nobody calls any more are left out too, and others are told which of
/// their tensors may begin anywhere (DeviceAlignment.h).
bool keepEntriesOfDevice(Job &job);

} // namespace attnc
