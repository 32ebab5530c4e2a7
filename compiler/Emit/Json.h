//===- Json.h - JSON description of a compiled model --------------------------------------------------------------===//
//
// `gpt.json` has entry points, parameters and kernels (docs/json.md). Sizes are texts over the names of the entry
// point's dimensions and `workers`, such as "1536*batch*seq". The arena of an entry point is the sum of its outermost
// slots, which alone are listed. Each call of a kernel in an entry point has its certificate:
//
//   flops, bytes_read, bytes_written   of one launch; `times` is the number of launches in a call of the entry point
//   largest_intermediate               bytes of its scratch: all memory besides its operands and results
//   holds_all_pairs                    whether its scratch, or a result in the arena, is of the order of queries times
//                                      keys
//
// `largest_intermediate` of an entry point is its largest scratch or tensor between kernels; `all_pairs` is its storage
// of the order of queries times keys, each with its kernel and bytes. A fused attention has none.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/DeviceResources.h"

namespace attnc {

/// The text of the file. `source` is the model file's name; `resources` are of the kernel phases on a device, if any.
std::string jsonText(const Program &program, llvm::StringRef source, llvm::ArrayRef<PhaseResources> resources = {});

} // namespace attnc
