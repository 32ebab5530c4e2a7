#include "compiler/Pipeline/Compile.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Codegen/GPU/Backend/DeviceBackend.h"
#include "compiler/Codegen/Host/DeviceStubs.h"
#include "compiler/Codegen/Host/HostCode.h"
#include "compiler/Codegen/Interface/AskedEmitter.h"
#include "compiler/Codegen/Target/ProcessorFeatures.h"
#include "compiler/Derive/Derive.h"
#include "compiler/Derive/AttentionOverride.h"
#include "compiler/Diagnostics/InputFile.h"
#include "compiler/Fuse/Explanation.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Narrow/Narrow.h"
#include "compiler/Narrow/NarrowKernel.h"
#include "compiler/Pipeline/CalledEntries.h"
#include "compiler/Pipeline/DeviceEntries.h"
#include "compiler/Pipeline/DeviceImages.h"
#include "compiler/Pipeline/EmitObject.h"
#include "compiler/Pipeline/Import.h"
#include "compiler/Pipeline/Job.h"
#include "compiler/Pipeline/LargeStack.h"
#include "compiler/Pipeline/MemoryBudget.h"
#include "compiler/Pipeline/Overrides.h"
#include "compiler/Pipeline/PredictedEmitters.h"
#include "compiler/Pipeline/Tuning.h"
#include "compiler/Raise/Raise.h"
#include "compiler/Schedule/Schedule.h"
#include "compiler/Schedule/Strategy.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace attnc {

static DialectRegistry allDialects() {
  DialectRegistry registry;
  registry.insert<attn::AttnDialect, model::ModelDialect, linalg::LinalgDialect, tensor::TensorDialect>();
  registerBackendDialects(registry);
  return registry;
}

Compilation::Compilation() : context(allDialects(), MLIRContext::Threading::DISABLED) {
  // Passes make ops of dialects that a module read from a file need not hold.
  context.loadAllAvailableDialects();
}

std::string prefixOf(llvm::StringRef path) {
  std::string prefix;
  for (char character : llvm::sys::path::stem(path))
    prefix += llvm::isAlnum(character) ? character : '_';
  return prefix.empty() || llvm::isDigit(prefix[0]) || isOfRuntime(prefix) ? "_" + prefix : prefix;
}

bool isOfRuntime(llvm::StringRef prefix) { return prefix == "attn" || prefix.starts_with("attn_"); }

/// There is something to call, and the sizes of its inputs and results are such as a model's table can hold.
static bool checkInterfaces(Job &job) {
  bool any = false;
  for (auto entry : job.made.module->getOps<func::FuncOp>()) {
    if (!entry->hasAttr(model::entryAttrName))
      continue;
    any = true;
    if (failed(SizeAnalysis::ofEntry(entry)))
      return job.userError(job.diagnostics().back());
  }
  return any || job.userError(job.options.input + ": error: there is no function to call");
}

/// What a call has room for (attn/abi.h), with the results that derive adds.
static bool checkLimits(Job &job) {
  for (auto entry : job.made.module->getOps<func::FuncOp>()) {
    if (!entry->hasAttr(model::entryAttrName))
      continue;
    auto within = [&](const llvm::Twine &what, size_t found, size_t most, llvm::StringRef unit) {
      std::string place = placeOf(entry.getLoc());
      return found <= most ||
             job.userError((place.empty() ? job.options.input : place) + ": error: " + what + " has " +
                            llvm::Twine(found) + " " + unit + ", expected at most " + llvm::Twine(most));
    };
    std::string name = ("entry point '" + entry.getName() + "'").str();
    SmallVector<Type> tensors(entry.getArgumentTypes());
    llvm::append_range(tensors, entry.getResultTypes());
    auto dimensions = entry->getAttrOfType<ArrayAttr>(model::dimensionsAttrName);
    if (!within(name, tensors.size(), ATTN_MAX_TENSORS, "inputs and results") ||
        !within(name, dimensions ? dimensions.size() : 0, ATTN_MAX_DIMENSIONS, "named dimensions"))
      return false;
    for (auto [number, type] : llvm::enumerate(tensors))
      if (!within((number < entry.getNumArguments() ? "an input of " : "a result of ") + name,
                  cast<RankedTensorType>(type).getRank(), ATTN_MAX_RANK, "dimensions"))
        return false;
  }
  return true;
}

/// The module is verified once, behind the last pass: between any two it would take a seventh of fuse.
static bool runPasses(Job &job, llvm::function_ref<void(OpPassManager &)> build) {
  PassManager passes(&job.made.context);
  passes.enableVerifier(false);
  build(passes);
  return succeeded(passes.run(*job.made.module)) && succeeded(verify(*job.made.module));
}

static bool raise(Job &job) {
  job.begin(Phase::Raise);
  return !job.options.raises || runPasses(job, buildRaisePipeline) || job.internalError();
}

static bool derive(Job &job) {
  job.begin(Phase::Derive);
  std::string writer = writerOf(job);
  if (!job.options.studied.empty() && failed(addEntriesOfStudy(*job.made.module, job.options.studied)))
    return job.userError(job.diagnostics().back());
  if (needsDerive(*job.made.module) && !runPasses(job, buildDerivePipeline))
    return job.diagnostics().empty() ? job.internalError() : job.userError(job.diagnostics().front());
  keepEntries(job, job.options.writer ? std::vector{writer} : job.options.entries);
  return true;
}

/// What an emitter finds wrong with what was said of a kernel; empty where there is nothing.
static std::string scheduleErrors(Job &job) {
  for (auto kernel : llvm::make_filter_range(job.made.module->getOps<func::FuncOp>(), isKernel))
    for (const auto &emitter : job.emitters)
      if (emitter->makesCodeFor(job.target))
        if (std::string error = emitter->scheduleError(kernel, job.target); !error.empty())
          return error;
  return {};
}

static bool makeKernels(Job &job) {
  size_t before = job.diagnostics().size();
  if (!runPasses(job, [&](OpPassManager &passes) {
        buildKernelsPipeline(passes, job.emitters, job.options.target);
      }))
    return job.internalError();
  for (const std::string &remark : llvm::drop_begin(job.diagnostics(), before))
    job.warn(remark + "\n");
  return true;
}

/// Says in the module which fusions the overrides refuse. Which ops a kernel has shows when all is fused.
static bool refuseFusions(Job &job) {
  llvm::Expected<std::optional<EmitterPreference>> emitter = emitterOverride(job.options.overrides);
  llvm::Expected<std::vector<FusionRefusal>> refusals = fusionOverrides(job.options.overrides);
  if (!succeeds(job, llvm::joinErrors(emitter.takeError(), refusals.takeError())) ||
      !succeeds(job, checkPlaces(*job.made.module, *refusals)))
    return false;
  bool areOfKernels = llvm::any_of(*refusals, namesKernel);
  if (areOfKernels || job.options.numbersOps)
    numberOps(*job.made.module);
  if (areOfKernels) {
    OwningOpRef<ModuleOp> imported = job.made.module->clone();
    job.isTrial = true;
    bool isFused = raise(job) && derive(job) && makeKernels(job);
    job.isTrial = false;
    if (!isFused || !succeeds(job, findRefusedKernels(*job.made.module, *refusals)))
      return false;
    job.made.module = std::move(imported);
  }
  refuseFusions(*job.made.module, *refusals);
  return true;
}

static void noteOpNumbers(Job &job) {
  for (func::FuncOp entry : hostFunctions(*job.made.module))
    entry.walk([&](func::CallOp call) {
      std::vector<int64_t> numbers = opNumbers(call.getLoc());
      job.made.opNumbers[entry.getName().str()][call.getCallee().str()].insert(numbers.begin(), numbers.end());
    });
}

static bool fuse(Job &job) {
  job.begin(Phase::Fuse);
  if (!makeKernels(job) || !succeeds(job, checkHonoured(refusedFusions(*job.made.module))))
    return false;
  Tuning tuning(job);
  if (!tuning.load() || !gatherOverrides(job))
    return false;
  tuning.chooseEmitters();
  if (!applyEmitters(job))
    return false;
  if (!runPasses(job, [&](OpPassManager &passes) {
        buildWeightsPipeline(passes, job.emitters, job.options.target);
      }))
    return job.internalError();
  if (job.options.numbersOps)
    noteOpNumbers(job);
  forgetRefusals(*job.made.module);
  tuning.applySchedules();
  if (!applySchedule(job))
    return false;
  if (std::string error = scheduleErrors(job); !error.empty())
    return job.refuse(error);
  eraseUncalled(job);
  if (job.options.memoryBudget)
    job.made.module->getOperation()->setAttr(emittersByRuleAttrName, UnitAttr::get(&job.made.context));
  if (!job.options.requireFused)
    return true;
  std::vector<std::string> refused = unfusedPairs(*job.made.module);
  return refused.empty() || job.userError(llvm::join(refused, "\n"));
}

/// "gpt.attn:31:14: error: " or, where there is no such place, "gpt.attn: error: ".
static std::string errorAt(Job &job, Location location) {
  std::string place = placeOf(location);
  return (place.empty() ? job.options.input : place) + ": error: ";
}

/// As Target::resolve takes it on any machine: `native` is another processor elsewhere.
static std::string spelled(const Target &target) {
  if (target.isDevice)
    return target.name;
  return target.cpu + (target.features.empty() ? "" : ":" + target.features);
}

static bool record(Job &job) {
  if (!job.options.records || !job.made.record.empty())
    return true;
  RecordedOptions options;
  options.target = spelled(job.target);
  options.prefix = job.made.program.prefix;
  options.at = job.options.at;
  options.debugLines = job.options.debugLines;
  options.emitter = emitterPreferenceNames()[static_cast<size_t>(job.preference)].str();
  FailureOr<std::string> bytes = recordModule(*job.made.module, options);
  if (failed(bytes))
    return job.internalError("the module can't be written");
  job.made.record = std::move(*bytes);
  return true;
}

/// The first emitter that takes a kernel. Every legal program has one, where a device can't run all of it because that
/// was left out: that none does is our fault, with the reasons.
static const Emitter *chooseEmitter(Job &job, func::FuncOp kernel, const Emitter *failed = nullptr) {
  EmitterChoice choice = job.emitterOf(kernel, failed);
  if (choice.emitter)
    return choice.emitter;
  if (auto asked = askedEmitter(kernel)) {
    std::string reason = choice.refusals.empty() ? job.diagnostics().back() : choice.refusals.back().second;
    job.refuse("the " + *asked + " emitter does not take kernel `" + kernel.getName() + "`: " + reason);
    return nullptr;
  }
  std::string message = "no emitter takes kernel " + kernel.getName().str();
  for (const auto &[emitter, reason] : choice.refusals)
    message += "; the " + emitter + " emitter does not: " + reason;
  job.warn(errorAt(job, kernel.getLoc()) + message + "\n");
  kernel.emitError(message);
  job.internalError();
  return nullptr;
}

using ChosenEmitters = llvm::DenseMap<Operation *, const Emitter *>;

static bool narrow(Job &job) {
  job.begin(Phase::Narrow);
  if (job.options.precision == Precision::F32)
    return true;
  if (job.options.precision == Precision::TF32) {
    if (!job.target.isDevice)
      return job.refuse("--precision tf32 is for devices, and " + job.target.name +
                        " is a processor; expected f32, bf16 or f16");
    allowTf32(*job.made.module);
    return true;
  }
  auto element = cast<FloatType>(mlirElementType(*storedElement(job.options.precision), &job.made.context));
  job.made.storage =
      narrowStorage(*job.made.module, element, [&](func::FuncOp kernel) { return job.emitterOf(kernel).verdict(); });
  job.warn("attnc: " + storageSummary(job.made.storage, nameOf(job.options.precision)) + "\n");
  return succeeded(verify(*job.made.module)) || job.internalError();
}

/// Processors prepare weights, whoever reads them.
static FailureOr<KernelCode> copyWeight(Job &job, RankedTensorType type, const std::string &symbol) {
  OwningOpRef<func::FuncOp> kernel = storingKernel(type, symbol);
  for (const std::unique_ptr<Emitter> &emitter : job.emitters)
    if (emitter->makesCodeFor(job.host) && emitter->supports(*kernel, job.host))
      return emitter->emit(*kernel, job.host, *job.made.code);
  return failure();
}

static FailureOr<KernelCode> packingCode(Job &job, const PackedParameter &packed, const Emitter *emitter,
                                         const std::string &symbol) {
  if (!packed.packing)
    return copyWeight(job, packed.type, symbol);
  std::optional<PanelPacking> packing = PanelPacking::fromAttribute(packed.packing);
  if (!packing)
    return failure();
  return emitter->emitPacking(packed.type, *packing, symbol, job.target, *job.made.code);
}

/// Each weight that kernels want packed gets its packing code, from the emitter whose kernel reads it. Weights of one
/// type that are packed alike have the same code.
static bool generatePacking(Job &job, const ChosenEmitters &chosen) {
  FailureOr<ParameterTable> parameters = ParameterTable::of(*job.made.module);
  if (failed(parameters))
    return job.internalError();
  llvm::DenseMap<std::tuple<Type, Attribute, const Emitter *>, KernelCode> codes;
  for (PackedParameter &packed : parameters->packed) {
    const Emitter *emitter = packed.packing ? chosen.lookup(packed.reader) : nullptr;
    auto [code, isNew] = codes.try_emplace({packed.type, packed.packing, emitter});
    if (isNew) {
      FailureOr<KernelCode> made = packingCode(job, packed, emitter, "pack_" + std::to_string(codes.size() - 1));
      if (failed(made))
        return job.internalError();
      code->second = std::move(*made);
    }
    packed.code = code->second;
    packed.bytes = packed.packing ? packedBytes(packed.type, *PanelPacking::fromAttribute(packed.packing))
                                  : storedBytes(packed.type);
  }
  job.made.program.parameters = std::move(*parameters);
  return true;
}

/// The kernel with its code, from the next emitter that takes it where `emitter` can't make it after all.
static std::optional<CompiledKernel> emitKernel(Job &job, func::FuncOp kernel, const Emitter *&emitter, ModuleOp code) {
  CompiledKernel compiled{kernel, "", {}, {}, job.emitterOf(kernel).refusals};
  while (true) {
    size_t before = job.diagnostics().size();
    FailureOr<KernelCode> made = emitter->emit(kernel, job.target, code);
    if (succeeded(made)) {
      compiled.emitter = emitter->name();
      compiled.code = std::move(*made);
      return compiled;
    }
    if (job.diagnostics().size() == before)
      return job.internalError(), std::nullopt;
    compiled.refusals.emplace_back(emitter->name(), job.diagnostics().back());
    const Emitter *next = chooseEmitter(job, kernel, emitter);
    if (!next)
      return std::nullopt;
    job.warnTaken(*next);
    emitter = next;
  }
}

/// False where entry points call what is no kernel, as a damaged record of an object may.
static bool callsKernelsAlone(Job &job) {
  SymbolTable symbols(*job.made.module);
  WalkResult result = job.made.module->walk([&](func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (callee && isKernel(callee))
      return WalkResult::advance();
    call.emitError("calls what is no kernel");
    return WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Each kernel is generated once, whoever calls it.
static bool generate(Job &job) {
  job.begin(Phase::Generate);
  if (job.target.isDevice && !keepEntriesOfDevice(job))
    return false;
  if (!callsKernelsAlone(job))
    return job.internalError();
  chooseByPrediction(job);
  ChosenEmitters chosen;
  for (auto kernel : llvm::make_filter_range(job.made.module->getOps<func::FuncOp>(), isKernel))
    if (!(chosen[kernel] = chooseEmitter(job, kernel)))
      return false;
  allowInPlace(*job.made.module, [&](func::FuncOp kernel, unsigned argument, unsigned result) {
    return chosen.lookup(kernel)->mayRunInPlace(kernel, argument, result);
  });
  job.made.code = ModuleOp::create(job.made.module->getLoc());
  if (job.target.isDevice)
    job.made.device = ModuleOp::create(job.made.module->getLoc());
  ModuleOp code = job.target.isDevice ? *job.made.device : *job.made.code;
  for (auto kernel : llvm::make_filter_range(job.made.module->getOps<func::FuncOp>(), isKernel)) {
    std::optional<CompiledKernel> made = emitKernel(job, kernel, chosen[kernel], code);
    if (!made)
      return false;
    job.made.program.kernels.push_back(std::move(*made));
  }
  warnOfSettings(job);
  return generatePacking(job, chosen);
}

static bool plan(Job &job) {
  job.begin(Phase::Plan);
  llvm::StringMap<KernelCode> codes;
  for (CompiledKernel &kernel : job.made.program.kernels)
    codes[kernel.function.getName()] = kernel.code;
  for (auto entry : job.made.module->getOps<func::FuncOp>()) {
    if (!entry->hasAttr(model::entryAttrName))
      continue;
    FailureOr<EntryPlan> planned = planEntry(entry, codes, job.options.at);
    if (failed(planned))
      return job.internalError();
    job.made.program.entries.push_back(std::move(*planned));
  }
  certify(job.made.program);
  return true;
}

static bool writeHostCode(Job &job) {
  job.begin(Phase::Host);
  emitHostCode(job.made.program, *job.made.code, job.target.isDevice ? *job.made.device : ModuleOp());
  if (job.target.isDevice)
    emitDeviceStubs(job.made.program, *job.made.code);
  return succeeded(verify(*job.made.code)) || job.internalError();
}

static bool lower(Job &job) {
  job.begin(Phase::Lower);
  if (failed(lowerToLlvmDialect(*job.made.code, job.host)) ||
      (job.target.isDevice && failed(lowerDeviceCode(*job.made.device, job.target))))
    return job.internalError();
  if (job.options.debugLines)
    addLineTables(*job.made.code);
  return true;
}

/// Is there the file of weights? It is asked for first: a compile takes long.
static bool findWeights(Job &job) {
  if (job.options.weights.empty())
    return true;
  InputFile file(job.options.weights);
  return file.isOpen() || job.refuse("can't read " + job.options.weights + ": " + file.problem());
}

/// Up to kernels, and entry points that call them.
static bool compileToKernels(Job &job) {
  auto printModule = [&](llvm::raw_ostream &out) { job.made.module->print(out); };

  // The file becomes functions on tensors, one an entry point: value semantics, every op has a place in the source.
  if (!findWeights(job) || !checkEmitterUse(job) || !import(job) || job.dumps(Phase::Import, printModule))
    return false;
  job.remember();
  if (!checkInterfaces(job) || !refuseFusions(job))
    return false;

  // Attention is known as such, however it was written.
  if (!raise(job) || job.dumps(Phase::Raise, printModule))
    return false;

  // What is kept and what is computed again is chosen by compiling up to the plan.
  if (!chooseRecomputed(job, [&] {
        return derive(job) && checkSizes(job) && fuse(job) && narrow(job) && generate(job) && plan(job);
      }))
    return false;

  // Gradients become ordinary functions.
  if (!derive(job) || job.dumps(Phase::Derive, printModule) || !checkSizes(job) || !checkLimits(job))
    return false;

  // Every computation goes into a kernel; entry points keep calls, loops, weights and sizes.
  if (!fuse(job) || job.dumps(Phase::Fuse, printModule))
    return false;

  // What lies in memory between them takes as many bits as --precision says.
  return narrow(job) && !job.dumps(Phase::Narrow, printModule);
}

/// From kernels to the object.
static void compileKernels(Job &job) {
  auto printCode = [&](llvm::raw_ostream &out) {
    if (job.made.device)
      job.made.device->print(out);
    job.made.code->print(out);
  };

  // The object keeps what all phases from here on read.
  if (!record(job))
    return;

  // Each kernel was taken by one emitter; its phases, scratch and cost are known.
  if (!generate(job) || job.dumps(Phase::Generate, printCode))
    return;

  // Each value of an entry point has a place: the caller's memory, a weight, or a slot of the arena.
  auto printPlans = [&](llvm::raw_ostream &out) {
    for (const EntryPlan &each : job.made.program.entries)
      printPlan(each, out);
    job.made.module->print(out);
  };
  if (!plan(job) || job.dumps(Phase::Plan, printPlans))
    return;

  // Entry points are functions with the ABI of attn/abi.h that launch kernels.
  if (!writeHostCode(job) || job.dumps(Phase::Host, printCode))
    return;

  // Nothing but the llvm dialect is left, and no call of a mathematical library.
  if (!lower(job) || job.dumps(Phase::Lower, printCode))
    return;

  // What a device runs is text inside the object.
  if (job.target.isDevice && !compileDeviceImages(job))
    return;

  // LLVM IR with the table by which the object describes itself.
  LlvmCode code;
  if (!optimiseCode(job, code) ||
      job.dumps(Phase::Optimise, [&](llvm::raw_ostream &out) { code.module->print(out, nullptr); }))
    return;

  // An object that needs memcpy, memset and memmove at most.
  if (emitObject(job, code))
    job.dumps(Phase::Emit,
              [&](llvm::raw_ostream &out) { out << StringRef(job.made.object.data(), job.made.object.size()); });
}

/// Runs the phases, for the target that the options say.
static Outcome run(Job &job, llvm::function_ref<void()> phases) {
  const CompileOptions &options = job.options;
  Compilation &made = job.made;
  made.program.prefix = options.prefix.empty() ? prefixOf(options.input) : options.prefix;
  llvm::Expected<Target> target = Target::resolve(options.target);
  if (!target) {
    job.refuse(llvm::toString(target.takeError()));
    return job.outcome;
  }
  job.target = std::move(*target);
  job.host = job.target.host();
  made.program.targetName = job.target.cpu;
  made.program.features = processorFeatures(job.target);
  if (job.target.isDevice) {
    if (options.debugLines) {
      job.refuse("not yet for --target " + options.target + ": -g");
      return job.outcome;
    }
    DialectRegistry registry;
    registerDeviceDialects(registry);
    made.context.appendDialectRegistry(registry);
    made.context.loadAllAvailableDialects();
  }
  job.begin(job.current());
  if (llvm::Error error = runOnLargeStack(phases))
    job.refuse(llvm::toString(std::move(error)));
  return job.outcome;
}

Outcome compile(const CompileOptions &options, Compilation &made, llvm::raw_ostream &messages) {
  Job job(options, made, messages);
  return run(job, [&] {
    if (compileToKernels(job))
      compileKernels(job);
  });
}

Outcome compileAgain(const std::string &input, RecordedModule recorded, StringRef weights, Compilation &made,
                     llvm::raw_ostream &messages) {
  CompileOptions options;
  options.input = input;
  options.target = recorded.options.target;
  options.prefix = recorded.options.prefix;
  options.at = recorded.options.at;
  options.debugLines = recorded.options.debugLines;
  std::optional<EmitterPreference> emitter = emitterPreferenceNamed(recorded.options.emitter);
  options.emitter = emitter.value_or(EmitterPreference::Auto);
  made.module = std::move(recorded.module);
  made.record = std::move(recorded.bytes);
  Job job(options, made, messages);
  job.embedded = weights;
  job.isRepeated = true;
  if (!emitter) {
    job.refuse(input + ": section " + moduleSection + " names the emitter '" + recorded.options.emitter +
               "', expected " + llvm::join(emitterPreferenceNames(), ", "));
    return job.outcome;
  }
  return run(job, [&] { compileKernels(job); });
}

} // namespace attnc
