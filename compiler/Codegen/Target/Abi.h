//===- Abi.h - layout of the records that generated code and runtime share ------------------------------------===//
//
// The compiler includes the runtime's headers attn/abi.h, attn/model.h and attn/status.h, so that generated code and
// the table of a model have the layout of the runtime's records. A record of attn/abi.h consists of words of eight
// bytes (a pointer or an int64_t each), and generated code addresses a field by the number of its word:
//
//   LLVM::GEPOp(pointer, i64, frame, abi::frameArena)        frame->arena
//
// Abi.cpp asserts each offset for one ATTN_ABI_VERSION. A change of a record changes the version and the asserted
// offsets in the same commit; otherwise the build fails.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/abi.h"
#include "attn/model.h"
#include "attn/status.h"

namespace attnc::abi {

/// Arena, its slots, scratch and packed weights are aligned to this many bytes: 64.
inline constexpr int64_t alignment = ATTN_ALIGNMENT;

/// The number of the word at `offset` bytes.
constexpr int32_t wordAt(size_t offset) { return static_cast<int32_t>(offset / sizeof(int64_t)); }

enum FrameWord : int32_t {
  frameTensors = wordAt(offsetof(attn_frame, tensors)),
  frameDimensions = wordAt(offsetof(attn_frame, dimensions)),
  frameParameters = wordAt(offsetof(attn_frame, parameters)),
  frameArena = wordAt(offsetof(attn_frame, arena)),
  frameExecutor = wordAt(offsetof(attn_frame, executor)),
};

enum ArgsWord : int32_t {
  argsBuffers = wordAt(offsetof(attn_kernel_args, buffers)),
  argsSizes = wordAt(offsetof(attn_kernel_args, sizes)),
  argsShared = wordAt(offsetof(attn_kernel_args, shared)),
  argsStatus = wordAt(offsetof(attn_kernel_args, status)),
  argsWords = wordAt(sizeof(attn_kernel_args)),
};

enum ExecutorWord : int32_t {
  executorParallelFor = wordAt(offsetof(attn_executor, parallel_for)),
  executorSelf = wordAt(offsetof(attn_executor, self)),
  executorWorkers = wordAt(offsetof(attn_executor, workers)),
};

} // namespace attnc::abi
