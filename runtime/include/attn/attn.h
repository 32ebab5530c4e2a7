/* Includes the whole runtime for models that run on processors: the headers of attnc::runtime and, where they are on
 * the include path, those of attnc::files. They are C11 and C++17. The libraries depend on libc alone. Programs with
 * models for devices also include attn/cuda.h. */
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
