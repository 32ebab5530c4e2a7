#include "compiler/Pipeline/CalledEntries.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Derive/Incremental/Decode.h"
#include "compiler/Pipeline/Overrides.h"
#include "dialects/Model/Model.h"

using namespace mlir;

namespace attnc {

std::string writerOf(const Job &job) {
  std::vector<std::string> found;
  for (auto entry : job.made.module->getOps<func::FuncOp>())
    if (std::string name = entry.getName().str();
        job.options.writer && entry->hasAttr(model::decodeAttrName) && job.options.writer->names(name))
      found.push_back(name);
  return found.size() == 1 ? found.front() : "";
}

/// Adds the resumed loops of all samplers.
static void addResumedLoops(ModuleOp module) {
  std::vector<std::string> names;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(model::decodeAttrName))
      names.push_back(function.getName().str());
  for (const std::string &name : names)
    addResumedSampler(module, name);
}

FailureOr<bool> addResumedLoop(const Job &job, const std::string &writer) {
  const std::optional<WriterRequest> &wanted = job.options.writer;
  ModuleOp module = *job.made.module;
  if (job.options.streams && !job.target.isDevice)
    addResumedLoops(module);
  if (!wanted || !wanted->isResumed || !addResumedSampler(module, writer))
    return false;
  if (wanted->drafts > 0)
    allowTruncation(module, writer, wanted->drafts);
  if (wanted->isVerified && failed(addVerification(module, writer)))
    return failure();
  return true;
}

std::vector<std::string> entriesOfResumed(ModuleOp module, const std::string &writer) {
  std::vector<std::string> names = {writer + ResumedNames::prefill.str(), writer + ResumedNames::steps.str()};
  for (StringRef optional : {ResumedNames::begin, ResumedNames::verify})
    if (std::string name = writer + optional.str(); module.lookupSymbol(name))
      names.push_back(name);
  return names;
}

void keepEntries(Job &job, ArrayRef<std::string> names) {
  auto isEntry = [](func::FuncOp function) { return function && function->hasAttr(model::entryAttrName); };
  bool isOverridden = !job.options.overrides.empty() || !job.options.script.empty();
  bool areNamesOfModel =
      job.options.kernelNames.value_or(isOverridden ? NamesOf::Model : NamesOf::Entry) == NamesOf::Model;
  if (names.empty() || !llvm::all_of(names, [&](const std::string &name) {
        return isEntry(job.made.module->lookupSymbol<func::FuncOp>(name));
      }))
    return;
  for (auto function : llvm::make_early_inc_range(job.made.module->getOps<func::FuncOp>())) {
    if (!isEntry(function) || llvm::is_contained(names, function.getName()))
      continue;
    if (areNamesOfModel)
      function->setAttr(uncalledAttrName, UnitAttr::get(function.getContext()));
    else
      function.erase();
  }
}

void eraseUncalled(Job &job) {
  bool isAny = false;
  for (auto function : llvm::make_early_inc_range(job.made.module->getOps<func::FuncOp>()))
    if (function->hasAttr(uncalledAttrName)) {
      function.erase();
      isAny = true;
    }
  if (!isAny)
    return;
  eraseUnusedKernels(*job.made.module);
  dropSettingsOfErased(job, /*warns=*/false);
}

} // namespace attnc
