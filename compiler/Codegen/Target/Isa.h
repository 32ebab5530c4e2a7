//===- Isa.h - tables of processor architectures and of their vector instruction sets -----------------------------===//
//
// Isa.cpp has two tables. A row of the first describes an architecture: its LLVM triple and code generator, its object
// format and the names of its processors. A row of the second describes an instruction set: its vector registers, and
// the instruction sequences that emitters choose where LLVM's code generator does not choose well. Other code reads the
// fields of these rows and compares no names of processors:
//
//   ISA       f32 lanes  registers  2^x                                1 / x
//   AVX-512   16         32         VREDUCEPS, polynomial, VSCALEFPS   VRCP14PS and a Newton step
//   AVX2      8          16         polynomial, integer exponent       division
//   PTX       4          -          ex2.approx                         division
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace llvm {
class MCSubtargetInfo;
}

namespace attnc {

/// Bytes of a cache line, of all supported processors: the unit of prefetches.
inline constexpr int64_t cacheLineBytes = 64;

/// A row of the table of architectures: x86-64, or NVIDIA devices. The fields from listProcessors on have values for
/// processors only.
struct Architecture {
  llvm::StringLiteral name;   ///< "x86-64"
  llvm::StringLiteral triple; ///< LLVM's target triple
  void (*initialise)();       ///< registers LLVM's code generator; may be called several times, from any thread
  /// Appends LLVM's names of the 64-bit processors to `names`. Null for devices.
  void (*listProcessors)(llvm::SmallVectorImpl<llvm::StringRef> &names) = nullptr;
  llvm::StringLiteral baseline = "";        ///< LLVM's name of a processor whose instructions all others have
  llvm::StringLiteral oldestProcessor = ""; ///< LLVM's name of the oldest one with the features that kernels need
  uint16_t elfMachine = 0;                  ///< `e_machine` of its ELF object files
  uint32_t elfAddressRelocation = 0;        ///< number of the ELF relocation of a 64-bit address in data
};

/// The instruction sequence for 2^x on f32 vectors in attention (AttendExp.h).
enum class Exp2Sequence {
  Polynomial,  ///< floor, polynomial of the fraction, exponent by integer arithmetic
  ReduceScale, ///< AVX-512: VREDUCEPS, the polynomial, VSCALEFPS; for narrower vectors than a register, Polynomial
  Approximate, ///< PTX: ex2.approx
};

/// The instruction sequence for 1 / x on f32 vectors in additive attention (SumOfTanh.h).
enum class ReciprocalSequence {
  Divide,
  Estimate14, ///< AVX-512: VRCP14PS, 14 bits, and a Newton step; for narrower vectors than a register, Divide
};

/// Instructions on the lanes of f32 vectors that not all instruction sets have.
struct LaneInstructions {
  bool scale = false; ///< x 2^n (LLVM's ldexp)
  bool split = false; ///< exponent and significand: AVX-512's VGETEXPPS and VGETMANTPS, for vectors of a whole register
};

/// Distances of software prefetches: how far the prefetched address is ahead of the address that is read. They are for
/// data that kernels read once, or that the hardware prefetcher does not find. In a GEMM, a panel is some columns of
/// the right matrix, packed row by row, and k is the depth that the product sums over. Distances that follow from a
/// loop, such as the next block of keys, are not here.
struct PrefetchDistances {
  int64_t keyValueBytes;  ///< bytes; attention by the decode algorithm: its keys and values
  int64_t keyValueCache;  ///< the level of the cache for them, 1 or 2
  int64_t streamedLines;  ///< cache lines; a GEMM that reads each panel once: the panel, to the second-level cache
  int64_t panelSteps;     ///< steps of k; a GEMM of several register tiles of rows: the panel, to the first-level cache
  int64_t separatedSteps; ///< steps of k; a GEMM that reads an unpacked right matrix of several panels: this matrix
};

/// A row of the table of instruction sets. The rows are constants that live as long as the program.
struct Isa {
  llvm::StringLiteral name; ///< "AVX-512"
  const Architecture *architecture;
  llvm::ArrayRef<llvm::StringLiteral> features = {}; ///< LLVM's names of the features that define it; none on a device
  int64_t vectorBits;                                ///< of a vector register; on a device, of the widest access
  int64_t vectorRegisters = 0;                       ///< number of vector registers; 0 on a device
  Exp2Sequence exp2 = Exp2Sequence::Polynomial;
  ReciprocalSequence reciprocal = ReciprocalSequence::Divide;
  LaneInstructions lanes = {};
  PrefetchDistances prefetch = {};       ///< not used on a device
  llvm::StringLiteral halideTarget = ""; ///< Halide's name of a target with it; empty: the Halide emitter has no code
};

/// All rows but that of devices.
llvm::ArrayRef<const Architecture *> processorArchitectures();
/// The architecture of the processor that runs the compiler. Ends the program with a fatal error if the table has no
/// row for it.
const Architecture &nativeArchitecture();

/// The widest instruction set of `architecture`, one of processorArchitectures(), whose features `processor` has. Null
/// if there is none: the processor lacks features that kernels need.
const Isa *findIsa(const Architecture &architecture, const llvm::MCSubtargetInfo &processor);
/// The features that a processor without an Isa lacks to have the narrowest one of its architecture: "fma", "avx2".
llvm::SmallVector<llvm::StringRef> missingFeatures(const Architecture &architecture,
                                                   const llvm::MCSubtargetInfo &processor);
/// The instruction set of NVIDIA devices: PTX, for all architectures.
const Isa &deviceIsa();

} // namespace attnc
