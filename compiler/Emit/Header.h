//===- Header.h - generator of a model's C header -----------------------------------------------------------------===//
//
// The header to call a model from C11 or C++17. For an entry point `logits` of a model `gpt`:
//
//   extern const attn_model gpt_model;
//   static inline int64_t gpt_logits_arena_bytes(int64_t batch, int64_t seq, int64_t workers);
//   static inline attn_code gpt_logits(const attn_context *context, int64_t batch, int64_t seq, const int32_t *tokens,
//                                      float *logits, attn_status *status);
//
// The header also declares the functions of the object itself (`gpt_logits_run`, `gpt_prepare`), for programs that fill
// the records of attn/abi.h themselves; there is a `gpt_prepare` only if weights are packed. For an entry point with
// states that calls append to (caches), there are `gpt_logits_truncate` and, if the caches have a dimension of rows,
// `gpt_logits_reorder` (attn/states.h), which copies blocks if the caches are paged. A prefill (`gpt_step_prefill`) has
// neither if its single-position entry point (`step`) is in the model, whose functions serve both. In a model for
// devices, `attn_cuda *cuda` replaces the context,
// and there is no arena function. Names that C or C++ reserves, that included headers may use, or that collide with
// another parameter, get a trailing underscore.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"

namespace attnc {

/// The text of the header. `source` is the model file's name, for the first line.
std::string headerText(const Program &program, llvm::StringRef source);

} // namespace attnc
