#include "compiler/Codegen/Target/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <mutex>

namespace attnc {

//===------------------------------------------ architectures ---------------------------------------------------===//

static void initialiseX86() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
}

static void listX86Processors(llvm::SmallVectorImpl<llvm::StringRef> &names) {
  llvm::X86::fillValidCPUArchList(names, /*Only64Bit=*/true);
}

static void initialiseNvptx() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

static constexpr Architecture x86 = {.name = "x86-64",
                                     .triple = "x86_64-unknown-linux-gnu",
                                     .initialise = initialiseX86,
                                     .listProcessors = listX86Processors,
                                     .baseline = "x86-64",
                                     .oldestProcessor = "x86-64-v3",
                                     .elfMachine = llvm::ELF::EM_X86_64,
                                     .elfAddressRelocation = llvm::ELF::R_X86_64_64};

static constexpr Architecture nvptx = {
    .name = "nvptx64", .triple = "nvptx64-nvidia-cuda", .initialise = initialiseNvptx};

llvm::ArrayRef<const Architecture *> processorArchitectures() {
  static constexpr const Architecture *all[] = {&x86};
  return all;
}

const Architecture &nativeArchitecture() {
  llvm::Triple::ArchType native = llvm::Triple(llvm::sys::getProcessTriple()).getArch();
  const Architecture *const *found = find_if(processorArchitectures(), [&](const Architecture *each) {
    return llvm::Triple(each->triple).getArch() == native;
  });
  if (found == processorArchitectures().end())
    llvm::report_fatal_error("attnc has no row of Isa.cpp for the processor that it runs on");
  return **found;
}

//===------------------------------------------ instruction sets ------------------------------------------------===//

static constexpr llvm::StringLiteral avx2Features[] = {"fma", "avx2"};
static constexpr llvm::StringLiteral avx512Features[] = {"fma", "avx2", "avx512f", "avx512vl", "avx512bw", "avx512dq"};
/// Processors from AMD alone have SSE4a.
static constexpr llvm::StringLiteral zenFeatures[] = {"fma",      "avx2",     "avx512f", "avx512vl",
                                                      "avx512bw", "avx512dq", "sse4a"};

/// The instruction set of the AVX-512 rows, which differ in their prefetches.
static constexpr Isa avx512(llvm::ArrayRef<llvm::StringLiteral> features, PrefetchDistances prefetch) {
  return {.name = "AVX-512",
          .architecture = &x86,
          .features = features,
          .vectorBits = 512,
          .vectorRegisters = 32,
          .exp2 = Exp2Sequence::ReduceScale,
          .reciprocal = ReciprocalSequence::Estimate14,
          .lanes = {.scale = true, .split = true},
          .prefetch = prefetch,
          .halideTarget = "x86-64-linux-sse41-avx-avx2-fma-f16c-avx512-avx512_skylake"};
}

/// Measured on Emerald Rapids. For keys and values one stream into the first-level cache is fastest: a second one, into
/// the second-level cache, costs more than it saves.
static constexpr PrefetchDistances x86Prefetch = {
    .keyValueBytes = 6144, .keyValueCache = 1, .streamedLines = 64, .panelSteps = 8, .separatedSteps = 16};

/// Measured on Zen 4, whose hardware prefetchers follow a stream at the full bandwidth. Prefetches of keys and values
/// from far ahead disturb them, and so do those into the first-level cache, which has few requests in flight.
static constexpr PrefetchDistances zenPrefetch = {
    .keyValueBytes = 1024, .keyValueCache = 2, .streamedLines = 64, .panelSteps = 8, .separatedSteps = 16};

/// The instruction sets of processors; of an architecture, the widest first.
static constexpr Isa processorIsas[] = {
    avx512(zenFeatures, zenPrefetch),
    avx512(avx512Features, x86Prefetch),
    {.name = "AVX2",
     .architecture = &x86,
     .features = avx2Features,
     .vectorBits = 256,
     .vectorRegisters = 16,
     .prefetch = x86Prefetch,
     .halideTarget = "x86-64-linux-sse41-avx-avx2-fma-f16c"},
};

static bool hasFeature(const llvm::MCSubtargetInfo &processor, llvm::StringRef feature) {
  return processor.checkFeatures(("+" + feature).str());
}

const Isa *findIsa(const Architecture &architecture, const llvm::MCSubtargetInfo &processor) {
  const Isa *found = llvm::find_if(processorIsas, [&](const Isa &isa) {
    return isa.architecture == &architecture &&
           all_of(isa.features, [&](llvm::StringRef feature) { return hasFeature(processor, feature); });
  });
  return found == std::end(processorIsas) ? nullptr : found;
}

llvm::SmallVector<llvm::StringRef> missingFeatures(const Architecture &architecture,
                                                   const llvm::MCSubtargetInfo &processor) {
  llvm::SmallVector<llvm::StringRef> missing;
  const auto ofArchitecture = [&](const Isa &isa) { return isa.architecture == &architecture; };
  for (llvm::StringRef feature : find_if(llvm::reverse(processorIsas), ofArchitecture)->features)
    if (!hasFeature(processor, feature))
      missing.push_back(feature);
  return missing;
}

const Isa &deviceIsa() {
  static constexpr Isa ptx = {
      .name = "PTX", .architecture = &nvptx, .vectorBits = 128, .exp2 = Exp2Sequence::Approximate};
  return ptx;
}

} // namespace attnc
