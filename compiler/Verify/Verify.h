//===- Verify.h - verification of memory certificates -------------------------------------------------------------===//
//
// Derives the memory promises of a compile again from the IR. It shares only the arithmetic of sizes with the planner
// (compiler/Memory):
//
//   slots     are inside of their enclosing slots, and the arena covers all of them: for all sizes, where the normal
//             form of the polynomials shows it, and at a list of sample sizes in any case
//   values    fit their slots; so does the scratch of kernels
//   contents  every read finds its value, whatever was written in between (MemoryTrace.h)
//   pairs     storage that grows as queries times keys is stated (Shapes.h)
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Verify/Certificate.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc::verify {

/// Findings for an entry point.
struct EntryFindings {
  std::string name;
  std::vector<std::string> faults;
  size_t values = 0, slots = 0;
  size_t sizesTried = 0;
  bool isProved = true;                       ///< proven for all sizes, not only for the sample
  std::string pairs = "";                     ///< "seq x seq"; empty without scores
  std::vector<AllPairsStorage> allPairs = {}; ///< stated storage of that order
};

/// `module` is after `generate`: kernels name the operands that they may overwrite.
std::vector<EntryFindings> verifyMemory(mlir::ModuleOp module, const Certificate &certificate);

/// Sample sizes for the dimensions of an entry point and `workers`.
std::vector<std::vector<int64_t>> sampleSizes(mlir::ArrayAttr dimensions);

} // namespace attnc::verify
