//===- Verify.h - does a certificate hold of the module that it is about? -----------------------------------------===//
//
// Derives again, from the IR, what a compile promised of memory, and shares nothing with the planner that made the
// promise (compiler/Memory) but the arithmetic of sizes:
//
//   slots     lie within what they are parts of, and the arena covers them all: of the polynomials, so for all sizes,
//             where the normal form of sizes shows it, and at a list of sizes in any case
//   values    fit their slots; kernels' scratch too
//   contents  every read finds what it should, whatever was written in between (MemoryTrace.h)
//   pairs     what grows as queries times keys is stated (Shapes.h)
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Verify/Certificate.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc::verify {

/// What was found of an entry point.
struct EntryFindings {
  std::string name;
  std::vector<std::string> faults;
  size_t values = 0, slots = 0;
  size_t sizesTried = 0;
  bool isProved = true;             ///< what holds at the sizes that were tried holds at all
  std::string pairs = "";           ///< "seq x seq"; empty where no scores are made
  std::vector<HeldPairs> held = {}; ///< of that order, as stated
};

/// `module` has been through `generate`: kernels say which operands they may write over.
std::vector<EntryFindings> verifyMemory(mlir::ModuleOp module, const Certificate &certificate);

/// Sizes to try, of the dimensions of an entry point and of `workers`.
std::vector<std::vector<int64_t>> sampleSizes(mlir::ArrayAttr dimensions);

} // namespace attnc::verify
