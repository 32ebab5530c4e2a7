//===- Abi.h - the binary interface, as the compiler sees it ----------------------------------------------------===//
//
// The one header through which the compiler includes the runtime's: what generated code and the model's table hold is
// laid out by the records of attn/abi.h and attn/model.h themselves, never by a copy of them. Records of attn/abi.h are
// words of eight bytes (a pointer or an int64_t each), so that generated code finds a field by the number of its word:
//
//   LLVM::GEPOp(pointer, i64, frame, abi::frameArena)        frame->arena
//
// Abi.cpp pins the layout of ATTN_ABI_VERSION down, offset by offset: who changes a record changes the version, and
// these numbers, in the same commit; the compile fails where one of the three is forgotten.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/abi.h"
#include "attn/model.h"
#include "attn/status.h"

namespace attnc::abi {

/// Arena, its slots, scratch and packed weights are aligned to this many bytes.
inline constexpr int64_t alignment = ATTN_ALIGNMENT;

/// Which word of its record lies at `offset` bytes.
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
