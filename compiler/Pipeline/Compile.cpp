#include "compiler/Pipeline/Compile.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Codegen/GPU/Backend/DeviceBackend.h"
#include "compiler/Codegen/Host/DeviceStubs.h"
#include "compiler/Codegen/Host/HostCode.h"
#include "compiler/Codegen/Interface/RequestedEmitter.h"
#include "compiler/Codegen/Target/ProcessorFeatures.h"
#include "compiler/Derive/AttentionOverride.h"
#include "compiler/Derive/Derive.h"
#include "compiler/Diagnostics/LargeStack.h"
#include "compiler/Emit/WeightsFiles.h"
#include "compiler/Fuse/Explanation.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Narrow/Narrow.h"
#include "compiler/Narrow/NarrowKernel.h"
#include "compiler/Pipeline/CachedObject.h"
#include "compiler/Pipeline/CalledEntries.h"
#include "compiler/Pipeline/DeviceEntries.h"
#include "compiler/Pipeline/DeviceImages.h"
#include "compiler/Pipeline/EmitObject.h"
#include "compiler/Pipeline/Import.h"
#include "compiler/Pipeline/Job.h"
#include "compiler/Pipeline/MemoryBudget.h"
#include "compiler/Pipeline/ModelName.h"
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

using namespace mlir;

namespace attnc {

static DialectRegistry allDialects() {
  DialectRegistry registry;
  registry.insert<attn::AttnDialect, model::ModelDialect, linalg::LinalgDialect, tensor::TensorDialect>();
  registerBackendDialects(registry);
  return registry;
}

Compilation::Compilation() : context(allDialects(), MLIRContext::Threading::DISABLED) {
  // Passes create ops of dialects that the parsed module need not contain.
  context.loadAllAvailableDialects();
}

/// Checks that there is an entry point, and that the model's table can express the sizes of all inputs and results.
static bool checkInterfaces(Job &job) {
  bool any = false;
  for (auto entry : job.made.module->getOps<func::FuncOp>()) {
    if (!entry->hasAttr(model::entryAttrName))
      continue;
    any = true;
    if (failed(SizeAnalysis::ofEntry(entry)))
      return job.userError(job.diagnostics().back());
  }
  return any || job.userError(job.options.input + ": error: the module has no entry point");
}

/// Checks the limits of the ABI on tensors, dimensions and ranks (attn/abi.h), after derive has added its results.
static bool checkLimits(Job &job) {
  auto isWithin = [&](Operation *op, const llvm::Twine &what, size_t found, size_t most, llvm::StringRef unit) {
    std::string place = placeOf(op->getLoc());
    return found <= most || job.userError((place.empty() ? job.options.input : place) + ": error: " + what + " has " +
                                          llvm::Twine(found) + " " + unit + ", expected at most " + llvm::Twine(most));
  };
  for (auto parameter : job.made.module->getOps<model::ParameterOp>()) {
    std::string name = ("parameter '" + parameter.getSymName() + "'").str();
    if (!isWithin(parameter, name, cast<RankedTensorType>(parameter.getType()).getRank(), ATTN_MAX_RANK,
                  "dimensions") ||
        !isWithin(parameter, name, parameter.getCounts().size(), ATTN_MAX_RANK, "lists around it"))
      return false;
  }
  for (auto entry : job.made.module->getOps<func::FuncOp>()) {
    if (!entry->hasAttr(model::entryAttrName))
      continue;
    std::string name = ("entry point '" + entry.getName() + "'").str();
    SmallVector<Type> tensors(entry.getArgumentTypes());
    llvm::append_range(tensors, entry.getResultTypes());
    auto dimensions = entry->getAttrOfType<ArrayAttr>(model::dimensionsAttrName);
    if (!isWithin(entry, name, tensors.size(), ATTN_MAX_TENSORS, "inputs and results") ||
        !isWithin(entry, name, dimensions ? dimensions.size() : 0, ATTN_MAX_DIMENSIONS, "named dimensions"))
      return false;
    for (auto [number, type] : llvm::enumerate(tensors))
      if (!isWithin(entry, (number < entry.getNumArguments() ? "an input of " : "a result of ") + name,
                    cast<RankedTensorType>(type).getRank(), ATTN_MAX_RANK, "dimensions"))
        return false;
  }
  return true;
}

/// Verifies the module once, after the last pass: verification after every pass would take a seventh of `fuse`.
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
  FailureOr<bool> isResumed = addResumedLoop(job, writer);
  if (failed(isResumed))
    return job.userError(job.diagnostics().back());
  if (!job.options.studied.empty() && failed(addEntriesOfStudy(*job.made.module, job.options.studied)))
    return job.userError(job.diagnostics().back());
  if (needsDerive(*job.made.module) && !runPasses(job, buildDerivePipeline))
    return job.diagnostics().empty() ? job.internalError() : job.userError(job.diagnostics().front());
  keepEntries(job, *isResumed           ? entriesOfResumed(*job.made.module, writer)
                   : job.options.writer ? std::vector{writer}
                                        : job.options.entries);
  return true;
}

/// The first error that an emitter finds in the schedule of a kernel; empty if there is none.
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
  if (!runPasses(job, [&](OpPassManager &passes) { buildKernelsPipeline(passes, job.emitters, job.options.target); }))
    return job.internalError();
  for (const std::string &remark : llvm::drop_begin(job.diagnostics(), before))
    job.warn(remark + "\n");
  return true;
}

/// Marks the fusions that overrides refuse. If an override names a kernel, a trial run up to `fuse` finds its ops.
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
  if (!runPasses(job, [&](OpPassManager &passes) { buildWeightsPipeline(passes, job.emitters, job.options.target); }))
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

/// "gpt.attn:31:14: error: " or, without a source location, "gpt.attn: error: ".
static std::string errorAt(Job &job, Location location) {
  std::string place = placeOf(location);
  return (place.empty() ? job.options.input : place) + ": error: ";
}

/// A target name with the same meaning on every machine, which `native` has not; Target::resolve accepts it.
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

/// The first emitter that supports a kernel; an internal error with the reasons if none does. Every kernel of a legal
/// program has one: keepEntriesOfDevice() has removed the entry points that a device does not support.
static const Emitter *chooseEmitter(Job &job, func::FuncOp kernel, const Emitter *failed = nullptr) {
  EmitterChoice choice = job.emitterOf(kernel, failed);
  if (choice.emitter)
    return choice.emitter;
  if (auto asked = requestedEmitter(kernel)) {
    std::string reason = choice.refusals.empty() ? job.diagnostics().back() : choice.refusals.back().second;
    job.refuse("the " + *asked + " emitter does not support kernel `" + kernel.getName() + "`: " + reason);
    return nullptr;
  }
  std::string message = "no emitter supports kernel " + kernel.getName().str();
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
      return job.refuse("--precision tf32 is for devices, but " + job.target.name +
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

/// Generates the kernel that converts a weight to its storage type; it always runs on the host.
static FailureOr<KernelCode> copyWeight(Job &job, RankedTensorType type, const std::string &symbol) {
  OwningOpRef<func::FuncOp> kernel = conversionKernel(type, symbol);
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

/// Generates packing code for each packed weight, by the emitter of the kernel that reads the weight. Weights of the
/// same type and packing share their code.
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

/// Emits a kernel; if `emitter` fails, the next emitter that supports the kernel.
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

/// Whether entry points call kernels only; a damaged compile record may violate this.
static bool callsKernelsAlone(Job &job) {
  SymbolTable symbols(*job.made.module);
  WalkResult result = job.made.module->walk([&](func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (callee && isKernel(callee))
      return WalkResult::advance();
    call.emitError("calls a function that is not a kernel");
    return WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Generates each kernel once, for all its callers.
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

/// Reports all-pairs tensors of the certificates as errors. (`fuse` has reported those for which it has a reason.)
static bool checkAllPairs(Job &job) {
  std::string errors;
  Program &program = job.made.program;
  for (auto [entry, certificate] : llvm::zip_equal(program.entries, program.certificates))
    for (const EntryCertificate::AllPairsStorage &storage : certificate.allPairs) {
      auto kernel = job.made.module->lookupSymbol<func::FuncOp>(storage.kernel);
      errors += errorAt(job, kernel.getLoc()) + "kernel " + storage.kernel + " materialises " +
                storage.bytes.text(entry.symbols) + " bytes for all query-key pairs, in entry point '" +
                entry.entry.getName().str() + "'\n";
    }
  return errors.empty() || job.userError(llvm::StringRef(errors).rtrim());
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
  return !job.options.requireFused || checkAllPairs(job);
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

/// Checks the weights file as far as possible without the model, before the long phases.
static bool findWeights(Job &job) {
  if (job.options.weights.empty())
    return true;
  llvm::Expected<WeightsFiles> files = WeightsFiles::open(job.options.weights);
  return files || job.refuse(llvm::toString(files.takeError()));
}

/// Runs the phases from parse to narrow, which produce kernels and entry points that call them.
static bool compileToKernels(Job &job, CachedObject &cached) {
  auto printModule = [&](llvm::raw_ostream &out) { job.made.module->print(out); };

  // The file becomes functions on tensors, one for each entry point, with value semantics and source locations.
  if (!findWeights(job) || !checkEmitterUse(job) || !import(job) || job.dumps(Phase::Import, printModule))
    return false;
  job.remember();
  if (cached.findCompiled())
    return false;
  if (!checkInterfaces(job) || !refuseFusions(job))
    return false;

  // Attention written as plain tensor code becomes attn.attend.
  if (!raise(job) || job.dumps(Phase::Raise, printModule))
    return false;

  // Rematerialisation within the memory budget: trial compiles up to `plan` choose the residuals to recompute.
  if (!chooseRecomputed(job, [&] {
        return derive(job) && checkSizes(job) && fuse(job) && narrow(job) && generate(job) && plan(job);
      }))
    return false;

  // Gradients become ordinary functions.
  if (!derive(job) || job.dumps(Phase::Derive, printModule) || !checkSizes(job) || !checkLimits(job))
    return false;

  // Every tensor computation is moved into a kernel; entry points retain calls, loops, weights and sizes.
  if (!fuse(job) || job.dumps(Phase::Fuse, printModule))
    return false;

  // Tensors between kernels are stored in the type of --precision.
  return narrow(job) && !job.dumps(Phase::Narrow, printModule);
}

/// Runs the phases from generate to emit, which compile kernels to the object.
static void compileKernels(Job &job, CachedObject &cached) {
  auto printCode = [&](llvm::raw_ostream &out) {
    if (job.made.device)
      job.made.device->print(out);
    job.made.code->print(out);
  };

  // The compile record contains the input of all later phases.
  if (!record(job))
    return;

  // One emitter generates each kernel, with its kernel phases, scratch size and cost.
  if (!generate(job) || job.dumps(Phase::Generate, printCode))
    return;

  // Each value of an entry point gets a location: the caller's memory, a weight, or a slot of the arena.
  auto printPlans = [&](llvm::raw_ostream &out) {
    for (const EntryPlan &each : job.made.program.entries)
      printPlan(each, out);
    job.made.module->print(out);
  };
  if (!plan(job) || job.dumps(Phase::Plan, printPlans))
    return;

  // Entry points become functions with the ABI of attn/abi.h that launch kernels.
  if (!writeHostCode(job) || job.dumps(Phase::Host, printCode))
    return;

  // All code becomes llvm dialect, without calls of a mathematical library.
  if (!lower(job) || job.dumps(Phase::Lower, printCode))
    return;

  // Device code becomes PTX, stored in the object.
  if (job.target.isDevice && !compileDeviceImages(job))
    return;

  // LLVM IR with the model table, by which the object describes itself.
  LlvmCode code;
  if (!translateCode(job, code) || cached.loadObject(code))
    return;
  optimise(code, job.host);
  if (job.dumps(Phase::Optimise, [&](llvm::raw_ostream &out) { code.module->print(out, nullptr); }))
    return;

  // The object has no undefined symbols except memcpy, memset and memmove.
  if (emitObject(job, code))
    job.dumps(Phase::Emit,
              [&](llvm::raw_ostream &out) { out << StringRef(job.made.object.data(), job.made.object.size()); });
}

/// Resolves the target of the options and runs the phases on a large stack.
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
      job.refuse("not supported with --target " + options.target + ": -g");
      return job.outcome;
    }
    DialectRegistry registry;
    registerDeviceDialects(registry);
    made.context.appendDialectRegistry(registry);
    made.context.loadAllAvailableDialects();
  }
  job.begin(job.current());
  if (std::string error = runOnLargeStack(phases); !error.empty())
    job.refuse(error);
  return job.outcome;
}

Outcome compile(const CompileOptions &options, Compilation &made, llvm::raw_ostream &messages) {
  Job job(options, made, messages);
  return run(job, [&] {
    CachedObject cached(job);
    if (compileToKernels(job, cached)) {
      compileKernels(job, cached);
      cached.store();
    }
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
  return run(job, [&] {
    CachedObject cached(job); // recompiled objects are not cached
    compileKernels(job, cached);
  });
}

} // namespace attnc
