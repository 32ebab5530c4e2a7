//===- DeviceEntries.h - removal of entry points that a device does not support -----------------------------------===//
//
// The emitter for devices supports fewer programs than emitters for processors. A compile for a device removes the
// entry points with a kernel that this emitter does not support, or that update a parameter (model.set) or a paged
// cache, each with a warning that has the source location and the reason. If no entry point would remain, for example
// because the only requested one is not supported, the first reason is an error.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// Removes these entry points from the job's module, and the kernels without callers with their schedule settings. The
/// module must be one after fuse, with an entry point. First marks unaligned operands and results of kernels
/// (DeviceAlignment.h). Returns false after an error.
bool keepEntriesOfDevice(Job &job);

} // namespace attnc
