//===- Isa.h - processor architectures and their vector instruction sets ------------------------------------------===//
//
// Isa.cpp has two tables. An architecture has a triple, a code generator of LLVM, an object format and the names of its
// processors. An instruction set has registers and, where a choice of instructions depends on more than LLVM's code
// generator decides, the sequence to emit. The compiler reads these fields and compares no names of processors:
//
//   ISA       f32 lanes  registers  2^x                                1 / x
//   AVX-512   16         32         VREDUCEPS, polynomial, VSCALEFPS   VRCP14PS and a Newton step
//   AVX2      8          16         polynomial, integer exponent       division
//   PTX       4          -          ex2.approx                         division
//
//===------------------------------------------------------------------------------------------------------------===//
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

/// A row of the table of architectures. The fields from listProcessors on are for processors only.
struct Architecture {
  llvm::StringLiteral name;   ///< "x86-64"
  llvm::StringLiteral triple; ///< LLVM's target triple
  void (*initialise)();       ///< registers LLVM's code generator
  /// Appends LLVM's names of the processors.
  void (*listProcessors)(llvm::SmallVectorImpl<llvm::StringRef> &names) = nullptr;
  llvm::StringLiteral baseline = "";        ///< the processor whose instructions all others have
  llvm::StringLiteral oldestProcessor = ""; ///< the oldest one with the features that kernels need
  uint16_t elfMachine = 0;                  ///< `e_machine` of its object files
  uint32_t elfAddressRelocation = 0;        ///< the relocation of a 64-bit address in data
};

/// How generated code computes 2^x in attention (AttendExp.h).
enum class Exp2Sequence {
  Polynomial,  ///< floor, polynomial of the fraction, exponent by integer arithmetic
  ReduceScale, ///< AVX-512: VREDUCEPS, the polynomial, VSCALEFPS
  Approximate, ///< PTX: ex2.approx
};

/// How generated code computes 1 / x in additive attention (SumOfTanh.h).
enum class ReciprocalSequence {
  Divide,
  Estimate14, ///< AVX-512: VRCP14PS, 14 bits, and a Newton step
};

/// How far ahead of its use generated code prefetches data that it reads once, or that the hardware prefetcher does not
/// find. Distances that follow from a loop, such as the next block of keys, are not here.
struct PrefetchDistances {
  int64_t keyValueBytes;     ///< of the keys and values of a decode, in the order of their addresses
  int64_t streamedLines;  ///< of a GEMM's panel that is read once, into the second-level cache: cache lines
  int64_t panelSteps;     ///< of a GEMM's panel, from the second-level cache to the first: steps of k
  int64_t separatedSteps; ///< of a matrix that is read where it is, whose rows are not adjacent: steps of k
};

/// A row of the table of instruction sets.
struct Isa {
  llvm::StringLiteral name; ///< "AVX-512"
  const Architecture *architecture;
  llvm::ArrayRef<llvm::StringLiteral> features = {}; ///< LLVM's names of the features that define it
  int64_t vectorBits;                                ///< of a vector register; on a device, of the widest access
  int64_t vectorRegisters = 0;                       ///< 0 on a device
  Exp2Sequence exp2 = Exp2Sequence::Polynomial;
  ReciprocalSequence reciprocal = ReciprocalSequence::Divide;
  bool hasVectorScale = false;           ///< one instruction for x 2^n in each lane (LLVM's ldexp)
  PrefetchDistances prefetch = {};       ///< not used on a device
  llvm::StringLiteral halideTarget = ""; ///< Halide's name of a target with it; empty: no code by Halide
};

/// The architectures of processors.
llvm::ArrayRef<const Architecture *> processorArchitectures();
/// The architecture of the processor that runs the compiler.
const Architecture &nativeArchitecture();

/// The widest instruction set of a processor of the architecture; null if the processor has none of the table, and so
/// lacks features that kernels need.
const Isa *findIsa(const Architecture &architecture, const llvm::MCSubtargetInfo &processor);
/// The instruction set of NVIDIA devices.
const Isa &deviceIsa();

} // namespace attnc
