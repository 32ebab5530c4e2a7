#include "tests/support/DeviceExecutor.h"
#include "tests/support/DeviceBlock.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include <cstring>
#include <fmt/format.h>
#include <map>

using namespace llvm;

namespace attnc {

static constexpr unsigned sharedSpace = 3;
static const std::string callPrefix = "call$", intrinsicPrefix = "device$";

struct DeviceExecutor::Loaded {
  std::unique_ptr<orc::LLJIT> jit;
  std::map<std::string, size_t> shared; ///< memory that a block shares, and its bytes
};

//===------------------------------------------ translation -------------------------------------------------------===//

/// Calls of the device's intrinsics become calls of the model. Answers the name of one that it does not have.
static std::string replaceIntrinsics(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    if (!function.getName().starts_with("llvm.nvvm."))
      continue;
    StringRef name = function.getName();
    if (function.use_empty()) {
      function.eraseFromParent();
      continue;
    }
    if (none_of(deviceIntrinsics(), [&](const DeviceIntrinsic &each) { return name == StringRef(each.name); }))
      return name.str();
    auto *model = Function::Create(function.getFunctionType(), GlobalValue::ExternalLinkage,
                                   intrinsicPrefix + name.str(), module);
    function.replaceAllUsesWith(model);
    function.eraseFromParent();
  }
  return "";
}

/// void call$name(const uint64_t *parameters)
static void addCaller(Function &kernel) {
  LLVMContext &context = kernel.getContext();
  Type *pointer = PointerType::get(context, 0), *i64 = Type::getInt64Ty(context);
  auto *type = FunctionType::get(Type::getVoidTy(context), {pointer}, false);
  auto *caller =
      Function::Create(type, GlobalValue::ExternalLinkage, callPrefix + kernel.getName().str(), kernel.getParent());
  IRBuilder<> builder(BasicBlock::Create(context, "", caller));
  SmallVector<Value *> operands;
  for (Argument &argument : kernel.args()) {
    Value *word = builder.CreateConstGEP1_64(i64, caller->getArg(0), argument.getArgNo());
    operands.push_back(builder.CreateLoad(argument.getType(), word));
  }
  builder.CreateCall(kernel.getFunctionType(), &kernel, operands);
  builder.CreateRetVoid();
}

/// What was said of a device is nothing for the host.
static void prepareForHost(Module &module, std::map<std::string, size_t> &shared) {
  for (GlobalVariable &global : module.globals()) {
    if (global.getAddressSpace() != sharedSpace)
      continue;
    global.setLinkage(GlobalValue::ExternalLinkage);
    global.setInitializer(Constant::getNullValue(global.getValueType()));
    shared[global.getName().str()] = module.getDataLayout().getTypeAllocSize(global.getValueType());
  }
  SmallVector<Function *> kernels;
  for (Function &function : module)
    if (function.getCallingConv() == CallingConv::PTX_Kernel)
      kernels.push_back(&function);
  for (Function *kernel : kernels) {
    kernel->setCallingConv(CallingConv::C);
    kernel->setLinkage(GlobalValue::InternalLinkage);
    addCaller(*kernel);
  }
  for (Function &function : module)
    for (StringRef name : {"target-cpu", "target-features", "prefer-vector-width"})
      function.removeFnAttr(name);
}

static Error addIntrinsics(orc::LLJIT &jit) {
  orc::SymbolMap symbols;
  for (const DeviceIntrinsic &each : deviceIntrinsics())
    symbols[jit.mangleAndIntern(intrinsicPrefix + std::string(each.name))] = {
        orc::ExecutorAddr::fromPtr(each.function), JITSymbolFlags::Exported | JITSymbolFlags::Callable};
  return jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols)));
}

DeviceExecutor::DeviceExecutor(const std::string &ir) : loaded(std::make_unique<Loaded>()) { load(ir); }

void DeviceExecutor::load(const std::string &ir) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto context = std::make_unique<LLVMContext>();
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseIR(MemoryBufferRef(ir, "device"), diagnostic, *context);
  if (!module)
    return void(message_ = "the device's code does not parse: " + diagnostic.getMessage().str());
  if (std::string unknown = replaceIntrinsics(*module); !unknown.empty())
    return void(message_ = "the executor has no model of " + unknown);
  auto jit = orc::LLJITBuilder().create();
  if (!jit)
    return void(message_ = toString(jit.takeError()));
  loaded->jit = std::move(*jit);
  module->setDataLayout(loaded->jit->getDataLayout());
  module->setTargetTriple(loaded->jit->getTargetTriple());
  prepareForHost(*module, loaded->shared);
  if (Error error = addIntrinsics(*loaded->jit))
    return void(message_ = toString(std::move(error)));
  if (Error error = loaded->jit->addIRModule(orc::ThreadSafeModule(std::move(module), std::move(context))))
    message_ = toString(std::move(error));
}

DeviceExecutor::~DeviceExecutor() = default;

//===------------------------------------------ launch ------------------------------------------------------------===//

std::string DeviceExecutor::run(const Launch &launch, Order order) {
  auto function = loaded->jit->lookup(callPrefix + launch.function);
  if (!function)
    return toString(function.takeError());
  std::vector<std::pair<void *, size_t>> shared;
  for (auto &[name, bytes] : loaded->shared) {
    auto memory = loaded->jit->lookup(name);
    if (!memory)
      return toString(memory.takeError());
    shared.emplace_back(memory->toPtr<void *>(), bytes);
  }
  for (int64_t turn = 0; turn < launch.blocks; ++turn) {
    for (auto [memory, bytes] : shared)
      std::memset(memory, 0xff, bytes); // NaN
    int64_t block = order == Order::Descending ? launch.blocks - 1 - turn : turn;
    std::string fault = runDeviceBlock(block, launch.threads, order, function->toPtr<void (*)(const uint64_t *)>(),
                                       launch.parameters.data());
    if (!fault.empty())
      return launch.function + ": " + fault;
  }
  return "";
}

} // namespace attnc
