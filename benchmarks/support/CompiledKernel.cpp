#include "benchmarks/support/CompiledKernel.h"
#include "benchmarks/support/Machine.h"
#include "compiler/Codegen/Backend/Backend.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Parser/Parser.h"
#include "runtime/include/attn/abi.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cstdlib>
#include <thread>

using namespace mlir;

namespace attnc::bench {

struct CompiledKernel::State {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<attn_kernel_fn> functions;
  KernelCode code;
  double compileSeconds = 0;
  size_t objectBytes = 0;
};

[[noreturn]] static void fail(const std::string &reason) {
  llvm::errs() << "cannot compile the kernel: " << reason << "\n";
  std::exit(1);
}

template <typename T> static T orFail(llvm::Expected<T> value) {
  if (!value)
    fail(llvm::toString(value.takeError()));
  return std::move(*value);
}

CompiledKernel::CompiledKernel(const std::string &mlir, std::string_view targetName)
    : CompiledKernel(mlir, targetName, *createCpuEmitter()) {}

CompiledKernel::CompiledKernel(const std::string &mlir, std::string_view targetName, const Emitter &emitter)
    : state(std::make_unique<State>()) {
  DialectRegistry registry;
  registerBackendDialects(registry);
  registry.insert<attn::AttnDialect, model::ModelDialect, linalg::LinalgDialect, tensor::TensorDialect>();
  state->context.appendDialectRegistry(registry);
  state->context.loadAllAvailableDialects();
  Target target = orFail(Target::resolve(targetName));
  double start = threadSeconds();
  auto source = parseSourceString<ModuleOp>(mlir, &state->context);
  if (!source)
    fail("it does not parse");
  auto kernel = *source->getOps<func::FuncOp>().begin();
  if (Verdict verdict = emitter.supports(kernel, target); !verdict)
    fail(verdict.reason);
  OwningOpRef<ModuleOp> code = ModuleOp::create(kernel.getLoc());
  auto emitted = emitter.emit(kernel, target, *code);
  if (failed(emitted))
    fail("the emitter failed");
  state->code = *emitted;
  auto object = compileToObject(*code, target);
  if (failed(object))
    fail("the back end failed");
  state->compileSeconds = threadSeconds() - start;
  state->objectBytes = object->size();
  if (const char *path = std::getenv("ATTN_BENCH_OBJECT")) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error).write(object->data(), object->size());
  }
  state->jit = orFail(llvm::orc::LLJITBuilder().create());
  StringRef bytes(object->data(), object->size());
  if (auto error = state->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(bytes, "kernel")))
    fail(llvm::toString(std::move(error)));
  for (const KernelPhase &phase : state->code.phases)
    state->functions.push_back(orFail(state->jit->lookup(phase.symbol)).toPtr<attn_kernel_fn>());
}

CompiledKernel::~CompiledKernel() = default;
const KernelCode &CompiledKernel::code() const { return state->code; }
double CompiledKernel::compileSeconds() const { return state->compileSeconds; }
size_t CompiledKernel::objectBytes() const { return state->objectBytes; }

std::function<void()> CompiledKernel::launcher(std::vector<void *> buffers, std::vector<int64_t> sizes,
                                               int64_t workers) const {
  struct Launch {
    std::vector<void *> buffers;
    std::vector<int64_t> sizes, chunks;
    std::unique_ptr<void, decltype(&std::free)> shared{nullptr, &std::free}, scratch{nullptr, &std::free};
    int32_t status = 0;
    int64_t scratchStride = 0;
  };
  auto launch = std::make_shared<Launch>();
  auto allocate = [&](const SizeExpr &bytes) {
    size_t rounded = (bytes.evaluate(sizes) + 4095) / 4096 * 4096 + 4096;
    return std::aligned_alloc(4096, rounded);
  };
  launch->shared.reset(allocate(state->code.sharedBytes));
  launch->scratchStride = (state->code.workerBytes.evaluate(sizes) + 4095) / 4096 * 4096;
  launch->scratch.reset(allocate(SizeExpr(launch->scratchStride * workers)));
  for (const KernelPhase &phase : state->code.phases)
    launch->chunks.push_back(phase.chunks.evaluate(sizes));
  launch->buffers = std::move(buffers);
  launch->sizes = std::move(sizes);
  return [launch, functions = state->functions, workers] {
    attn_kernel_args args = {launch->buffers.data(), launch->sizes.data(), launch->shared.get(), &launch->status};
    for (size_t phase = 0; phase < functions.size(); ++phase) {
      std::atomic<int64_t> next = 0;
      auto work = [&](int64_t worker) {
        char *scratch = static_cast<char *>(launch->scratch.get()) + worker * launch->scratchStride;
        for (int64_t chunk = next++; chunk < launch->chunks[phase]; chunk = next++)
          functions[phase](&args, chunk, scratch);
      };
      std::vector<std::jthread> others;
      for (int64_t worker = 1; worker < std::min(workers, launch->chunks[phase]); ++worker)
        others.emplace_back(work, worker);
      work(0);
    }
  };
}

} // namespace attnc::bench
