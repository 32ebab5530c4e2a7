#include "compiler/Codegen/Target/Target.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <fmt/format.h>
#include <mutex>

using namespace llvm;

namespace attnc {

static constexpr StringRef linuxTriple = "x86_64-unknown-linux-gnu", deviceTriple = "nvptx64-nvidia-cuda";
static constexpr StringRef oldestProcessor = "x86-64-v3";
static constexpr unsigned oldestDevice = 80;           // sm_80: asynchronous copies, matrix products of bf16
static constexpr StringRef warpGroupDevice = "sm_90a"; // code for it runs on nothing else

static void initialiseX86() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
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

static std::string hostFeatures() {
  SmallVector<std::string> names;
  for (const auto &feature : sys::getHostCPUFeatures())
    names.push_back((feature.second ? "+" : "-") + feature.first().str());
  // A StringMap iterates in an order of its own.
  llvm::sort(names);
  return llvm::join(names, ",");
}

static Error refuse(const std::string &message) { return createStringError(inconvertibleErrorCode(), message); }

static Error unknownTarget(StringRef name) {
  SmallVector<StringRef> known;
  X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
  known.push_back("native");
  unsigned limit = name.size() / 3 + 1, best = limit + 1;
  StringRef nearest;
  for (StringRef candidate : known)
    if (unsigned distance = name.edit_distance(candidate, true, limit); distance < best) {
      best = distance;
      nearest = candidate;
    }
  std::string hint = nearest.empty() ? "expected native, x86-64-v3, x86-64-v4, cuda or a processor name such as znver4"
                                     : fmt::format("did you mean '{}'?", nearest.str());
  return refuse(fmt::format("unknown target '{}': {}", name.str(), hint));
}

static const llvm::Target *backendOf(const Triple &triple) {
  triple.isNVPTX() ? initialiseNvptx() : initialiseX86();
  std::string error;
  return TargetRegistry::lookupTarget(triple, error);
}

/// Assemblers older than PTX 8.6 read the strides of a tensor map in another unit (GPU/Tile/TensorMap.cpp).
static std::string featuresOf(StringRef architecture) { return architecture == warpGroupDevice ? "+ptx86" : ""; }

/// `architecture` is LLVM's name, such as sm_90a.
static Expected<Target> resolveDevice(std::string_view name, StringRef architecture) {
  Triple triple(deviceTriple);
  std::unique_ptr<MCSubtargetInfo> known(backendOf(triple)->createMCSubtargetInfo(triple, "", ""));
  StringRef digits = architecture;
  unsigned number = 0;
  if (!digits.consume_front("sm_") || digits.consumeInteger(10, number) || !known->isCPUStringValid(architecture))
    return refuse(fmt::format("unknown target '{}': expected an NVIDIA architecture such as cuda:sm_{} or cuda:sm_90a",
                              name, oldestDevice));
  if (number < oldestDevice)
    return refuse(fmt::format("target '{}' is older than sm_{}, the oldest architecture that there is code for", name,
                              oldestDevice));
  Target target;
  target.name = std::string(name);
  target.triple = deviceTriple.str();
  target.cpu = architecture.str();
  target.features = featuresOf(architecture);
  target.images = {architecture.str()};
  target.vectorBits = 128;
  target.f32Lanes = 4;
  target.isDevice = true;
  return target;
}

/// All that there is code for.
static Expected<Target> resolveDevices(std::string_view name) {
  Expected<Target> target = resolveDevice(name, fmt::format("sm_{}", oldestDevice));
  if (target)
    target->images.push_back(warpGroupDevice.str());
  return target;
}

bool hasForm(std::string_view architecture, DeviceVariant form) {
  return form == DeviceVariant::Any ||
         (form == DeviceVariant::WarpGroups) == (StringRef(architecture) == warpGroupDevice);
}

bool Target::has(DeviceVariant form) const {
  return any_of(images, [&](const std::string &image) { return hasForm(image, form); });
}

Target Target::image(const std::string &architecture) const {
  Target one = *this;
  one.cpu = architecture;
  one.features = featuresOf(architecture);
  one.images = {architecture};
  return one;
}

Target Target::host() const { return isDevice ? cantFail(resolve(oldestProcessor)) : *this; }

Expected<Target> Target::resolve(std::string_view name) {
  if (StringRef architecture(name); architecture == "cuda")
    return resolveDevices(name);
  else if (architecture.consume_front("cuda:"))
    return resolveDevice(name, architecture);
  initialiseX86();
  Target target;
  target.name = std::string(name);
  target.triple = linuxTriple.str();
  bool native = name == "native";
  // What an object records of `native` says it for all machines: "znver4:+adx,-amx-bf16,...".
  auto [cpu, features] = StringRef(name).split(':');
  target.cpu = native ? sys::getHostCPUName().str() : cpu.str();
  target.features = native ? hostFeatures() : features.str();
  SmallVector<StringRef> known;
  X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
  auto isFeature = [](StringRef each) { return each.starts_with("+") || each.starts_with("-"); };
  if (!native && (!is_contained(known, cpu) || (!features.empty() && !all_of(split(features, ','), isFeature))))
    return unknownTarget(name);

  std::unique_ptr<TargetMachine> machine = target.createMachine();
  const MCSubtargetInfo &processor = *machine->getMCSubtargetInfo();
  if (!processor.checkFeatures("+fma") || !processor.checkFeatures("+avx2"))
    return refuse(fmt::format("target '{}' has no fused multiply-add, which kernels need: {} is the oldest level "
                              "that will do",
                              target.name, oldestProcessor.str()));
  target.hasAvx512 = processor.checkFeatures("+avx512f") && processor.checkFeatures("+avx512vl") &&
                     processor.checkFeatures("+avx512bw") && processor.checkFeatures("+avx512dq");
  target.vectorBits = target.hasAvx512 ? 512 : 256;
  target.f32Lanes = target.vectorBits / 32;
  target.vectorRegisters = target.hasAvx512 ? 32 : 16;
  return target;
}

std::unique_ptr<TargetMachine> Target::createMachine() const {
  Triple parsed(triple);
  return std::unique_ptr<TargetMachine>(backendOf(parsed)->createTargetMachine(
      parsed, cpu, features, TargetOptions(), Reloc::PIC_, std::nullopt, CodeGenOptLevel::Aggressive));
}

} // namespace attnc
