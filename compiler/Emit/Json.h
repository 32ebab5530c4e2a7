//===- Json.h - what is known of a compiled model, for other programs -------------------------------------------===//
//
// `gpt.json`: entry points, parameters, kernels (docs/json.md). Sizes are texts over the names of the entry point's
// dimensions and `workers`, such as "1536*batch*seq". An entry point's arena is the sum of its slots: nothing else is
// in it. For each launch of a kernel there is its certificate:
//
//   flops, bytes_read, bytes_written   of one launch; `times` is how often a call of the entry point runs it
//   largest_intermediate               bytes of its scratch: all that lives beside its operands and results
//   holds_all_pairs                    whether that, or a result in the arena, is of the order of queries times keys
//
// Each entry point has the largest of all, scratch or tensor between kernels, and `all_pairs`: what it holds that is of
// the order of queries times keys, each with the kernel that makes it and its bytes. None in a fused attention.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/DeviceResources.h"

namespace attnc {

std::string jsonText(const Program &program, llvm::StringRef source, llvm::ArrayRef<PhaseResources> resources = {});

} // namespace attnc
