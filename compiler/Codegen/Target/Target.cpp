#include "compiler/Codegen/Target/Target.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include <fmt/format.h>

namespace attnc {

static constexpr unsigned oldestDevice = 80;                 // sm_80: asynchronous copies, matrix products of bf16
static constexpr llvm::StringRef warpGroupDevice = "sm_90a"; // no other device runs code for it

static std::string hostFeatures() {
  llvm::SmallVector<std::string> names;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    names.push_back((feature.second ? "+" : "-") + feature.first().str());
  // The iteration order of a StringMap is arbitrary.
  llvm::sort(names);
  return llvm::join(names, ",");
}

static llvm::Error refuse(const std::string &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::SmallVector<llvm::StringRef> processorNames(const Architecture &architecture) {
  llvm::SmallVector<llvm::StringRef> names;
  architecture.listProcessors(names);
  return names;
}

static llvm::Error unknownTarget(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> known;
  for (const Architecture *architecture : processorArchitectures())
    append_range(known, processorNames(*architecture));
  known.push_back("native");
  unsigned limit = name.size() / 3 + 1, best = limit + 1;
  llvm::StringRef nearest;
  for (llvm::StringRef candidate : known)
    if (unsigned distance = name.edit_distance(candidate, true, limit); distance < best) {
      best = distance;
      nearest = candidate;
    }
  std::string hint = nearest.empty() ? "expected native, x86-64-v3, x86-64-v4, cuda or a processor name such as znver4"
                                     : fmt::format("did you mean '{}'?", nearest.str());
  return refuse(fmt::format("unknown target '{}': {}", name.str(), hint));
}

static const llvm::Target *codeGenerator(const Architecture &architecture) {
  architecture.initialise();
  std::string error;
  return llvm::TargetRegistry::lookupTarget(llvm::Triple(architecture.triple), error);
}

static void setIsa(Target &target, const Isa &isa) {
  target.isa = &isa;
  target.vectorBits = isa.vectorBits;
  target.f32Lanes = isa.vectorBits / 32;
  target.vectorRegisters = isa.vectorRegisters;
}

/// Assemblers before PTX 8.6 read the strides of a tensor map in another unit (GPU/Tile/TensorMap.cpp).
static std::string deviceFeatures(llvm::StringRef architecture) {
  return architecture == warpGroupDevice ? "+ptx86" : "";
}

/// `architecture` is LLVM's name, such as sm_90a.
static llvm::Expected<Target> resolveDevice(std::string_view name, llvm::StringRef architecture) {
  const Architecture &nvptx = *deviceIsa().architecture;
  llvm::Triple triple(nvptx.triple);
  std::unique_ptr<llvm::MCSubtargetInfo> known(codeGenerator(nvptx)->createMCSubtargetInfo(triple, "", ""));
  llvm::StringRef digits = architecture;
  unsigned number = 0;
  if (!digits.consume_front("sm_") || digits.consumeInteger(10, number) || !known->isCPUStringValid(architecture))
    return refuse(fmt::format("unknown target '{}': expected an NVIDIA architecture such as cuda:sm_{} or cuda:sm_90a",
                              name, oldestDevice));
  if (number < oldestDevice)
    return refuse(
        fmt::format("target '{}' is older than sm_{}, the oldest supported architecture", name, oldestDevice));
  Target target;
  target.name = std::string(name);
  target.cpu = architecture.str();
  target.features = deviceFeatures(architecture);
  target.images = {architecture.str()};
  setIsa(target, deviceIsa());
  target.isDevice = true;
  return target;
}

/// The target of all supported devices.
static llvm::Expected<Target> resolveDevices(std::string_view name) {
  llvm::Expected<Target> target = resolveDevice(name, fmt::format("sm_{}", oldestDevice));
  if (target)
    target->images.push_back(warpGroupDevice.str());
  return target;
}

bool hasForm(std::string_view architecture, DeviceVariant form) {
  return form == DeviceVariant::Any ||
         (form == DeviceVariant::WarpGroups) == (llvm::StringRef(architecture) == warpGroupDevice);
}

bool Target::has(DeviceVariant form) const {
  return llvm::any_of(images, [&](const std::string &image) { return hasForm(image, form); });
}

Target Target::image(const std::string &architecture) const {
  Target one = *this;
  one.cpu = architecture;
  one.features = deviceFeatures(architecture);
  one.images = {architecture};
  return one;
}

/// The architecture with a processor of this name; null if there is none.
static const Architecture *findArchitecture(llvm::StringRef processor) {
  for (const Architecture *architecture : processorArchitectures())
    if (is_contained(processorNames(*architecture), processor))
      return architecture;
  return nullptr;
}

static std::unique_ptr<llvm::TargetMachine> createMachine(const Architecture &architecture, llvm::StringRef cpu,
                                                          llvm::StringRef features) {
  llvm::Triple triple(architecture.triple);
  return std::unique_ptr<llvm::TargetMachine>(codeGenerator(architecture)
                                                  ->createTargetMachine(triple, cpu, features, llvm::TargetOptions(),
                                                                        llvm::Reloc::PIC_, std::nullopt,
                                                                        llvm::CodeGenOptLevel::Default));
}

Target Target::host() const {
  return isDevice ? cantFail(resolve(processorArchitectures().front()->oldestProcessor)) : *this;
}

llvm::Expected<Target> Target::resolve(std::string_view name) {
  if (llvm::StringRef device(name); device == "cuda")
    return resolveDevices(name);
  else if (device.consume_front("cuda:"))
    return resolveDevice(name, device);
  Target target;
  target.name = std::string(name);
  bool native = name == "native";
  // An object records `native` as the processor and its features: "znver4:+adx,-amx-bf16,...".
  auto [cpu, features] = llvm::StringRef(name).split(':');
  target.cpu = native ? llvm::sys::getHostCPUName().str() : cpu.str();
  target.features = native ? hostFeatures() : features.str();
  const Architecture *architecture = native ? &nativeArchitecture() : findArchitecture(cpu);
  auto isFeature = [](llvm::StringRef each) { return each.starts_with("+") || each.starts_with("-"); };
  if (!architecture || (!native && !features.empty() && !all_of(split(features, ','), isFeature)))
    return unknownTarget(name);

  std::unique_ptr<llvm::TargetMachine> machine = attnc::createMachine(*architecture, target.cpu, target.features);
  const Isa *isa = findIsa(*architecture, *machine->getMCSubtargetInfo());
  if (!isa)
    return refuse(
        fmt::format("target '{}' lacks {}, which kernels need: {} is the lowest level that has all needed features",
                    target.name, join(missingFeatures(*architecture, *machine->getMCSubtargetInfo()), " and "),
                    architecture->oldestProcessor.str()));
  setIsa(target, *isa);
  return target;
}

std::unique_ptr<llvm::TargetMachine> Target::createMachine() const {
  return attnc::createMachine(architecture(), cpu, features);
}

} // namespace attnc
