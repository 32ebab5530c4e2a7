//===- Verify.h - verification of memory certificates -------------------------------------------------------------===//
//
// The verifier checks a memory certificate (Certificate.h) against the module that was compiled. It shares only the
// arithmetic of sizes with the planner (compiler/Memory). It checks that
//
//   slots     are inside of their enclosing slots, and the arena covers all of them
//   values    fit their slots; so does the scratch of kernels
//   contents  are preserved: every read finds its value, whatever was written in between (MemoryTrace.h)
//   pairs     are stated: the certificate lists storage that grows as queries times keys (Shapes.h)
//
// Sizes are compared, and overlaps of slots are found, at a list of sample sizes. In addition, the verifier tries to
// prove, from the normal form of the polynomials, that slots and the arena are large enough for all sizes.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Verify/Certificate.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc::verify {

/// Findings for an entry point of the certificate or of the module.
struct EntryFindings {
  std::string name;
  std::vector<std::string> faults;            ///< a message for each check that failed; empty if all hold
  size_t values = 0, slots = 0;               ///< number of values in slots, and of slots
  size_t sizesTried = 0;                      ///< number of sample sizes
  bool isProved = true;                       ///< false if a slot or the arena is shown to suffice for the samples
                                              ///< only; means nothing if there are faults
  std::string pairs = "";                     ///< dimensions of scores, as "seq x seq" (Shapes::pairsText)
  std::vector<AllPairsStorage> allPairs = {}; ///< the storage of that order that the certificate states
};

/// Verifies each entry point. `module` must be the compiled one after `generate`, where an argument of a kernel has
/// `attn.in_place` if a result may overwrite it. An entry point that only one of module and certificate has is a fault,
/// as are symbols other than the entry point's dimensions and "workers"; nothing else is then checked for it. A
/// certificate of another module may crash the verifier, so the caller prepares a CrashNote.
std::vector<EntryFindings> verifyMemory(mlir::ModuleOp module, const Certificate &certificate);

/// The sample sizes for an entry point with these dimensions (`model.dimensions`; null: none). Each element has a size
/// for each dimension, within its bounds, then a number of workers.
std::vector<std::vector<int64_t>> sampleSizes(mlir::ArrayAttr dimensions);

} // namespace attnc::verify
