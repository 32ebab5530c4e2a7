#include "tests/support/KernelRunner.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/GPU/Backend/DeviceBackend.h"
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "runtime/include/attn/abi.h"
#include "tests/support/DeviceExecutor.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>
#include <mutex>
#include <random>
#include <thread>

using namespace mlir;

namespace attnc {

//===------------------------------------------ arrays ------------------------------------------------------------===//

static int64_t elementBytes(ElementKind kind) {
  bool isNarrow = kind == ElementKind::BF16 || kind == ElementKind::F16;
  return kind == ElementKind::I1 ? 1 : isNarrow ? 2 : 4;
}

HostArray::HostArray(std::vector<int64_t> shape, ElementKind kind) : shape(std::move(shape)), kind(kind) {
  bytes.resize(size() * elementBytes(kind));
}

static const llvm::fltSemantics &semanticsOf(ElementKind kind) {
  return kind == ElementKind::BF16 ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf();
}

HostArray HostArray::storedAs(ElementKind narrow) const {
  HostArray stored(shape, narrow);
  for (int64_t i = 0; i < size(); ++i) {
    llvm::APFloat number(f32()[i]);
    bool losesInfo;
    number.convert(semanticsOf(narrow), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    auto word = static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
    std::memcpy(&stored.bytes[2 * i], &word, sizeof word);
  }
  return stored;
}

HostArray HostArray::widened() const {
  HostArray wide(shape);
  for (int64_t i = 0; i < size(); ++i) {
    uint16_t word;
    std::memcpy(&word, &bytes[2 * i], sizeof word);
    llvm::APFloat number(semanticsOf(kind), llvm::APInt(16, word));
    bool losesInfo;
    number.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    wide.f32()[i] = number.convertToFloat();
  }
  return wide;
}

int64_t HostArray::size() const {
  int64_t product = 1;
  for (int64_t each : shape)
    product *= each;
  return product;
}

HostArray HostArray::of(std::vector<int64_t> shape, const std::vector<float> &values) {
  HostArray array(std::move(shape));
  std::copy(values.begin(), values.end(), array.f32());
  return array;
}

HostArray HostArray::of(std::vector<int64_t> shape, const std::vector<int32_t> &values) {
  HostArray array(std::move(shape), ElementKind::I32);
  std::copy(values.begin(), values.end(), array.i32());
  return array;
}

HostArray HostArray::random(std::vector<int64_t> shape, uint64_t seed, float low, float high) {
  HostArray array(std::move(shape));
  std::mt19937_64 bits(seed);
  for (int64_t i = 0; i < array.size(); ++i) // 24 bits: equal on every standard library
    array.f32()[i] = low + (high - low) * static_cast<float>(bits() >> 40) * 0x1p-24f;
  return array;
}

//===------------------------------------------ compilation -------------------------------------------------------===//

struct KernelRunner::Loaded {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> source;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<attn_kernel_fn> functions;
  std::unique_ptr<DeviceExecutor> device; ///< instead of `jit`, if the target is a device
  OwningOpRef<ModuleOp> deviceCode;       ///< in the LLVM dialect, until ptx() is called
  std::string deviceIr;                   ///< bitcode of the optimised IR, until ptx() is called
  Target image;
  std::string ptx;
  std::vector<ElementKind> resultKinds;
};

KernelRunner::KernelRunner(const std::string &mlir, const Emitter &emitter, std::string_view target)
    : loaded(std::make_unique<Loaded>()) {
  DialectRegistry registry;
  registerBackendDialects(registry);
  registerDeviceDialects(registry);
  registry.insert<attn::AttnDialect, model::ModelDialect, linalg::LinalgDialect, tensor::TensorDialect>();
  loaded->context.appendDialectRegistry(registry);
  loaded->context.loadAllAvailableDialects();
  ScopedDiagnosticHandler diagnostics(&loaded->context, [&](Diagnostic &diagnostic) {
    message_ += diagnostic.str() + "\n";
    return success();
  });
  load(mlir, emitter, target);
}

KernelRunner::~KernelRunner() = default;

std::unique_ptr<Emitter> emitterFor(std::string_view target) {
  return llvm::cantFail(Target::resolve(target)).isDevice ? createGpuEmitter() : createCpuEmitter();
}

static ElementKind kindOf(Type tensor) {
  Type element = cast<RankedTensorType>(tensor).getElementType();
  return element.isF32()        ? ElementKind::F32
         : element.isBF16()     ? ElementKind::BF16
         : element.isF16()      ? ElementKind::F16
         : element.isInteger(1) ? ElementKind::I1
                                : ElementKind::I32;
}

void KernelRunner::load(const std::string &mlir, const Emitter &emitter, std::string_view targetName) {
  auto target = Target::resolve(targetName);
  if (!target)
    return void(message_ = llvm::toString(target.takeError()));
  if (target->isDevice)
    *target = target->image(target->images.front());
  loaded->source = parseSourceString<ModuleOp>(mlir, &loaded->context);
  if (!loaded->source)
    return void(message_ += "the kernel does not parse");
  auto kernel = *loaded->source->getOps<func::FuncOp>().begin();
  for (Type type : kernel.getResultTypes())
    loaded->resultKinds.push_back(kindOf(type));
  if (Verdict verdict = emitter.supports(kernel, *target); !verdict)
    return void(message_ = std::string(emitter.name()) + " does not take this kernel: " + verdict.reason);
  OwningOpRef<ModuleOp> code = ModuleOp::create(kernel.getLoc());
  auto emitted = emitter.emit(kernel, *target, *code);
  if (failed(emitted) || failed(verify(*code)))
    return void(message_ += "the emitter failed");
  code_ = *emitted;
  if (getenv("ATTN_DUMP_KERNEL"))
    code->print(llvm::errs());
  target->isDevice ? loadDevice(std::move(code), *target) : loadObject(*code, *target);
}

void KernelRunner::loadDevice(OwningOpRef<ModuleOp> code, const Target &target) {
  if (failed(lowerDeviceCode(*code, target)))
    return void(message_ += "the back end failed");
  FailureOr<LlvmCode> llvmCode = translateToLlvm(*code, target);
  if (failed(llvmCode))
    return void(message_ += "the back end failed");
  optimise(*llvmCode, target);
  llvm::raw_string_ostream bitcode(loaded->deviceIr);
  llvm::WriteBitcodeToFile(*llvmCode->module, bitcode);
  loaded->deviceCode = std::move(code);
  loaded->image = target;
  loaded->device = std::make_unique<DeviceExecutor>(std::move(llvmCode->context), std::move(llvmCode->module));
  message_ += loaded->device->message();
}

/// The back end takes a quarter of a compile, and most kernels only run.
const std::string &KernelRunner::ptx() const {
  if (!loaded->deviceCode)
    return loaded->ptx;
  LlvmCode code;
  code.context = std::make_unique<llvm::LLVMContext>();
  code.module = llvm::cantFail(llvm::parseBitcodeFile({loaded->deviceIr, "device"}, *code.context));
  FailureOr<std::string> ptx = emitPtx(*loaded->deviceCode, code, loaded->image);
  if (failed(ptx))
    llvm::report_fatal_error("the back end can't emit the PTX of a kernel");
  loaded->ptx = std::move(*ptx);
  loaded->deviceCode = nullptr;
  loaded->deviceIr.clear();
  return loaded->ptx;
}

void KernelRunner::loadObject(ModuleOp code, const Target &target) {
  auto object = compileToObject(code, target);
  if (failed(object))
    return void(message_ += "the back end failed");
  objectBytes_ = object->size();
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return void(message_ = llvm::toString(jit.takeError()));
  loaded->jit = std::move(*jit);
  StringRef bytes(object->data(), object->size());
  if (auto error = loaded->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(bytes, "kernel")))
    return void(message_ = llvm::toString(std::move(error)));
  for (const KernelPhase &phase : code_.phases) {
    auto address = loaded->jit->lookup(phase.symbol);
    if (!address)
      return void(message_ = llvm::toString(address.takeError()));
    loaded->functions.push_back(address->toPtr<attn_kernel_fn>());
  }
}

//===------------------------------------------ launch ------------------------------------------------------------===//

/// Memory of one launch.
struct KernelRunner::Launch {
  std::vector<GuardedBuffer> buffers;
  std::vector<void *> pointers;
  std::vector<int64_t> sizes;
  GuardedBuffer shared, scratch;
  int32_t status = 0;
  attn_kernel_args args{};
};

static void appendDynamicSizes(Type type, const std::vector<int64_t> &shape, std::vector<int64_t> &sizes) {
  auto tensor = cast<RankedTensorType>(type);
  for (int64_t number = 0; number < tensor.getRank(); ++number) // a packed weight has another, static shape
    if (tensor.isDynamicDim(number))
      sizes.push_back(shape[number]);
}

void KernelRunner::runOnDevice(Launch &launch, const RunOptions &options) {
  auto word = [](const void *pointer) { return reinterpret_cast<uint64_t>(pointer); };
  std::vector<uint64_t> parameters;
  for (void *pointer : launch.pointers)
    parameters.push_back(word(pointer));
  for (int64_t size : launch.sizes)
    parameters.push_back(static_cast<uint64_t>(size));
  parameters.insert(parameters.end(), {word(launch.args.shared), word(&launch.status)});
  for (const KernelPhase &phase : code_.phases)
    message_ += loaded->device->run(
        {phase.symbol, phase.chunks.evaluate(launch.sizes), phase.threads, parameters, phase.blockBytes, options.sums},
        options.reversed ? Order::Descending : Order::Ascending);
}

void KernelRunner::runPhases(Launch &launch, const RunOptions &options) {
  if (loaded->device)
    return runOnDevice(launch, options);
  for (auto [phase, function] : llvm::zip(code_.phases, loaded->functions)) {
    int64_t chunks = phase.chunks.evaluate(launch.sizes);
    std::atomic<int64_t> next{0};
    auto work = [&, function = function](int worker) {
      for (int64_t taken; (taken = next++) < chunks;)
        function(&launch.args, options.reversed ? chunks - 1 - taken : taken,
                 launch.scratch.data() + worker * launch.scratch.stride());
    };
    std::vector<std::thread> helpers;
    for (int worker = 1; worker < options.workers; ++worker)
      helpers.emplace_back(work, worker);
    work(0);
    for (std::thread &helper : helpers)
      helper.join();
  }
}

bool KernelRunner::isOnDevice() const { return loaded->device != nullptr; }

std::vector<HostArray> KernelRunner::run(const std::vector<HostArray> &inputs,
                                         const std::vector<std::vector<int64_t>> &resultShapes,
                                         const RunOptions &options) {
  auto kernel = *loaded->source->getOps<func::FuncOp>().begin();
  Launch launch;
  std::vector<HostArray> results;
  unsigned tensor = 0;
  auto addBuffer = [&](const HostArray &array) {
    int64_t alignment = loaded->device ? deviceAlignment : elementBytes(array.kind);
    launch.buffers.emplace_back(array.bytes.size(), options.placement, alignment);
  };
  for (Type type : kernel.getArgumentTypes())
    if (isa<RankedTensorType>(type)) {
      const HostArray &input = inputs[tensor++];
      addBuffer(input);
      std::copy(input.bytes.begin(), input.bytes.end(), launch.buffers.back().data());
      appendDynamicSizes(type, input.shape, launch.sizes);
    }
  for (auto [number, shape] : llvm::enumerate(resultShapes)) {
    results.emplace_back(shape, loaded->resultKinds[number]);
    addBuffer(results.back());
    appendDynamicSizes(kernel.getResultTypes()[number], shape, launch.sizes);
  }
  llvm::append_range(launch.sizes, options.indexOperands);
  for (GuardedBuffer &buffer : launch.buffers)
    launch.pointers.push_back(buffer.data());
  if (options.inPlaceOperand >= 0)
    launch.pointers[inputs.size()] = launch.pointers[options.inPlaceOperand];
  launch.shared = GuardedBuffer(code_.sharedBytes.evaluate(launch.sizes), options.placement, ATTN_ALIGNMENT);
  launch.scratch =
      GuardedBuffer(code_.workerBytes.evaluate(launch.sizes), options.placement, ATTN_ALIGNMENT, options.workers);
  launch.args = {launch.pointers.data(), launch.sizes.data(), launch.shared.data(), &launch.status};
  for (int repeat = 0; repeat < options.repeats; ++repeat)
    runPhases(launch, options);
  status_ = launch.status;
  for (auto [number, result] : llvm::enumerate(results))
    std::copy_n(static_cast<const char *>(launch.pointers[inputs.size() + number]), result.bytes.size(),
                result.bytes.begin());
  return results;
}

} // namespace attnc
