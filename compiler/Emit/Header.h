//===- Header.h - the C header of a compiled model --------------------------------------------------------------===//
//
// What a program includes to call a model: C11 and C++17. For an entry point `logits` of a model `gpt`:
//
//   extern const attn_model gpt_model;
//   static inline int64_t gpt_logits_arena_bytes(int64_t batch, int64_t seq, int64_t workers);
//   static inline attn_code gpt_logits(const attn_context *context, int64_t batch, int64_t seq, const int32_t *tokens,
//                                      float *logits, attn_status *status);
//
// and the entry points of the object itself (`gpt_logits_run`, `gpt_prepare`), for programs that fill records on their
// own. Names that C or C++ reserves, or that meet another parameter, get an underscore at their end.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/Program.h"

namespace attnc {

/// `source` is the model file's name, for the first line.
std::string headerText(const Program &program, llvm::StringRef source);

} // namespace attnc
