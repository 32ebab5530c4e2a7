//===- Json.h - JSON description of a compiled model --------------------------------------------------------------===//
//
// `gpt.json` describes entry points, parameters and kernels (docs/json.md). Sizes are texts over the names of the entry
// point's dimensions and `workers`, such as "1536*batch*seq". The arena of an entry point consists of its outermost
// slots; inner slots are not listed. Each launch of a kernel in an entry point has a certificate:
//
//   flops, bytes_read, bytes_written   of one execution; `times` is the largest number of executions in a call of the
//                                      entry point. A loop with bounds that are no functions of sizes counts once
//   largest_intermediate               bytes of the kernel's scratch, its memory besides operands and results: the
//                                      larger of the scratch that all chunks share and of that of all workers
//   holds_all_pairs                    true if the scratch, or a result in the arena, grows as queries times keys
//
// `largest_intermediate` of an entry point is its largest scratch or tensor between kernels. `all_pairs` lists the
// storage that grows as queries times keys, with its kernel and bytes. A fused attention has none.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/DeviceResources.h"

namespace attnc {

/// The text of the file. `source` is the model file's name. `resources` are the resources (registers, shared memory,
/// ...) of kernel phases on devices; empty for a processor.
std::string jsonText(const Program &program, llvm::StringRef source, llvm::ArrayRef<PhaseResources> resources = {});

} // namespace attnc
