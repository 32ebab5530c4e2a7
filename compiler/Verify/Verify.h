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

/// Findings for an entry point of the certificate or of the module.
struct EntryFindings {
  std::string name;
  std::vector<std::string> faults;            ///< broken promises, one message each; empty if all hold
  size_t values = 0, slots = 0;               ///< number of values in slots, and of slots
  size_t sizesTried = 0;                      ///< length of sampleSizes
  bool isProved = true;                       ///< slots are large enough for all sizes, not only for the sample
  std::string pairs = "";                     ///< "seq x seq"; empty without scores
  std::vector<AllPairsStorage> allPairs = {}; ///< stated storage of that order
};

/// Verifies each entry point. `module` is after `generate`: an argument of a kernel has `attn.in_place` if a result may
/// overwrite it.
std::vector<EntryFindings> verifyMemory(mlir::ModuleOp module, const Certificate &certificate);

/// Sample sizes: each element has a size for each of `dimensions` (`model.dimensions`) within its bounds, then the
/// number of workers.
std::vector<std::vector<int64_t>> sampleSizes(mlir::ArrayAttr dimensions);

} // namespace attnc::verify
