//===- Abi.h - layout of the records that generated code and runtime share ----------------------------------------===//
//
// The compiler includes the runtime's headers attn/abi.h, attn/model.h and attn/status.h. Generated code and the table
// of a model therefore have the layout of the runtime's records. A record of attn/abi.h consists of words of eight
// bytes (a pointer or an int64_t each). Generated code addresses a field by the number of its word, counted from 0:
//
//   LLVM::GEPOp(pointer, i64, frame, abi::frameArena)        frame->arena
//
// Abi.cpp asserts each offset for one ATTN_ABI_VERSION. A change of a record changes the version and the asserted
// offsets in the same commit; otherwise the build fails.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/abi.h"
#include "attn/model.h"
#include "attn/status.h"

namespace attnc::abi {

/// The alignment of the arena, of its slots, of scratch and of packed weights: 64 bytes.
inline constexpr int64_t alignment = ATTN_ALIGNMENT;

/// The number of the word at `offset` bytes from the start of a record. `offset` is a multiple of eight.
constexpr int32_t wordAt(size_t offset) { return static_cast<int32_t>(offset / sizeof(int64_t)); }

/// Words of attn_frame, the argument of `run` of an entry point.
enum FrameWord : int32_t {
  frameTensors = wordAt(offsetof(attn_frame, tensors)),
  frameDimensions = wordAt(offsetof(attn_frame, dimensions)),
  frameParameters = wordAt(offsetof(attn_frame, parameters)),
  frameArena = wordAt(offsetof(attn_frame, arena)),
  frameExecutor = wordAt(offsetof(attn_frame, executor)),
};

/// Words of attn_kernel_args, the operands of a launch; `argsWords` is the number of words of the record.
enum ArgsWord : int32_t {
  argsBuffers = wordAt(offsetof(attn_kernel_args, buffers)),
  argsSizes = wordAt(offsetof(attn_kernel_args, sizes)),
  argsShared = wordAt(offsetof(attn_kernel_args, shared)),
  argsStatus = wordAt(offsetof(attn_kernel_args, status)),
  argsWords = wordAt(sizeof(attn_kernel_args)),
};

/// Words of attn_executor, the caller's interface that runs the chunks of a kernel phase.
enum ExecutorWord : int32_t {
  executorParallelFor = wordAt(offsetof(attn_executor, parallel_for)),
  executorSelf = wordAt(offsetof(attn_executor, self)),
  executorWorkers = wordAt(offsetof(attn_executor, workers)),
};

} // namespace attnc::abi
