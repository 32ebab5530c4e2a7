/* All headers of the runtime for models that run on processors, and those of attnc::files where they are on the include
 * path. C11 and C++17; depends on libc alone. Models that run on devices also need attn/cuda.h. */
#ifndef ATTN_ATTN_H
#define ATTN_ATTN_H

#include "attn/abi.h"
#include "attn/memory.h"
#include "attn/model.h"
#include "attn/processor.h"
#include "attn/random.h"
#include "attn/run.h"
#include "attn/states.h"
#include "attn/status.h"
#include "attn/threads.h"
#include "attn/weights.h"
#if __has_include("attn/files.h")
#include "attn/files.h"
#include "attn/safetensors.h"
#endif

#endif
