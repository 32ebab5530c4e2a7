#include "tools/attnc/Options/AssemblerOption.h"
#include "tools/attnc/Messages/Messages.h"

namespace attnc {

void AssemblerOption::addTo(CLI::App &command) {
  command
      .add_option("--ptxas", program,
                  "NVIDIA's assembler, which reports the registers of a device's kernels; by default that of PATH or "
                  "CUDA_HOME; or `none`")
      ->check(CLI::ExistingFile | CLI::IsMember({"none"}))
      ->type_name("FILE");
}

llvm::Error AssemblerOption::checkUse(const Target &target) const {
  if (!isGiven() || target.isDevice)
    return llvm::Error::success();
  return llvm::createStringError("--ptxas has no effect with --target " + target.name + ", which is a processor");
}

std::vector<PhaseResources> AssemblerOption::resourcesOf(const Program &compiled) const {
  if (compiled.images.empty())
    return {};
  std::optional<Ptxas> ptxas = program.empty() ? Ptxas::find() : std::optional(Ptxas(program));
  if (program == "none")
    ptxas.reset();
  std::string problem;
  std::vector<PhaseResources> resources = attnc::resourcesOf(compiled, ptxas ? &*ptxas : nullptr, &problem);
  if (!problem.empty())
    warn("registers are unknown, because ptxas failed: " + problem);
  return resources;
}

} // namespace attnc
