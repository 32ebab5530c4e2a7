#include "tests/support/DeviceExecutor.h"
#include "tests/support/DeviceAssembly.h"
#include "tests/support/DeviceBlock.h"
#include "tests/support/DeviceIntrinsics.h"
#include "tests/support/GuardedBuffer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <set>

using namespace llvm;

namespace attnc {

static constexpr unsigned sharedSpace = 3;
static constexpr int64_t blockMemoryAlignment = 1024;
static const std::string callPrefix = "call$", modelPrefix = "model$", blockMemoryName = "device$memory";

struct DeviceExecutor::Loaded {
  orc::ThreadSafeContext context;
  std::unique_ptr<Module> module; ///< for the host's compiler
  std::unique_ptr<orc::LLJIT> jit;
  std::map<std::string, size_t> shared; ///< variables in shared memory, with their bytes
  void *blockMemory = nullptr;          ///< dynamic shared memory of the current launch's block
  ReleasedMaps maps;
  std::set<std::string> compiled; ///< functions that are compiled

  bool has(const std::string &function) const { return module->getFunction(callPrefix + function); }
  Error add(function_ref<bool(StringRef)> isPart);
  Expected<orc::ExecutorAddr> bodyOf(const std::string &function);
};

/// Adds the selected functions of the module to the JIT, with the internal ones that they call.
Error DeviceExecutor::Loaded::add(function_ref<bool(StringRef)> isPart) {
  ValueToValueMapTy values;
  auto part = CloneModule(*module, values, [&](const GlobalValue *each) {
    return each->hasLocalLinkage() || isPart(each->getName());
  });
  return jit->addIRModule(orc::ThreadSafeModule(std::move(part), context));
}

//===------------------------------------------ translation -------------------------------------------------------===//

/// Replaces `call` by a call of the model: `numbers` and the operands are stored in memory, 8 bytes each, and the
/// results are loaded from memory.
static void callModel(CallInst *call, StringRef name, ArrayRef<uint64_t> numbers = {}) {
  LLVMContext &context = call->getContext();
  Type *pointer = PointerType::get(context, 0), *i64 = Type::getInt64Ty(context), *type = call->getType();
  FunctionCallee model =
      call->getModule()->getOrInsertFunction(modelPrefix + name.str(), Type::getVoidTy(context), pointer, pointer);
  IRBuilder<> entry(&*call->getFunction()->getEntryBlock().getFirstInsertionPt()), builder(call);
  Value *operands = entry.CreateAlloca(ArrayType::get(i64, numbers.size() + call->arg_size()));
  for (auto [place, number] : enumerate(numbers))
    builder.CreateStore(ConstantInt::get(i64, number), builder.CreateConstGEP1_64(i64, operands, place));
  for (auto [place, operand] : enumerate(call->args()))
    builder.CreateStore(operand, builder.CreateConstGEP1_64(i64, operands, numbers.size() + place));
  Value *result = type->isVoidTy() ? operands : entry.CreateAlloca(type);
  builder.CreateCall(model, {operands, result});
  if (!type->isVoidTy())
    call->replaceAllUsesWith(builder.CreateLoad(type, result));
  call->eraseFromParent();
}

/// Replaces calls of device intrinsics by calls of models. Returns the name of an intrinsic without a model; empty if
/// there is none.
static std::string replaceIntrinsics(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    if (!function.getName().starts_with("llvm.nvvm."))
      continue;
    std::string name = function.getName().str();
    bool isKnown = any_of(deviceIntrinsics(), [&](const DeviceIntrinsic &each) { return name == each.name; });
    if (!function.use_empty() && !isKnown)
      return name;
    for (User *user : make_early_inc_range(function.users()))
      callModel(cast<CallInst>(user), name);
    function.eraseFromParent();
  }
  return "";
}

/// Replaces inline PTX likewise. Returns an unknown text.
static std::string replaceAssembly(Module &module) {
  SmallVector<CallInst *> calls;
  for (Function &function : module)
    for (Instruction &each : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&each); call && call->isInlineAsm())
        calls.push_back(call);
  for (CallInst *call : calls) {
    auto *text = cast<InlineAsm>(call->getCalledOperand());
    auto *results = dyn_cast<StructType>(call->getType());
    auto known =
        recogniseAssembly(text->getAsmString().str(), results ? results->getNumElements() : 0, call->arg_size());
    if (!known)
      return text->getAsmString().str();
    callModel(call, known->model, known->numbers);
  }
  return "";
}

/// Replaces shared memory without a size by the launch's dynamic shared memory, whose address is loaded at the start of
/// a function.
static void replaceBlockMemory(Module &module) {
  LLVMContext &context = module.getContext();
  for (GlobalVariable &global : make_early_inc_range(module.globals())) {
    if (global.getAddressSpace() != sharedSpace || !global.isDeclaration())
      continue;
    convertUsersOfConstantsToInstructions({&global});
    Constant *place = module.getOrInsertGlobal(blockMemoryName, PointerType::get(context, 0));
    DenseMap<Function *, Value *> addresses;
    for (Use &use : make_early_inc_range(global.uses())) {
      Function *function = cast<Instruction>(use.getUser())->getFunction();
      Value *&address = addresses[function];
      if (!address) {
        IRBuilder<> builder(&*function->getEntryBlock().getFirstInsertionPt());
        Value *memory = builder.CreateLoad(PointerType::get(context, 0), place);
        address = builder.CreateAddrSpaceCast(memory, global.getType());
      }
      use.set(address);
    }
    global.eraseFromParent();
  }
}

/// Adds void call$name(const uint64_t *parameters).
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

/// Removes device attributes, and replaces address spaces by the host's.
static void prepareForHost(Module &module, std::map<std::string, size_t> &shared) {
  for (GlobalVariable &global : module.globals()) {
    if (global.getAddressSpace() != sharedSpace)
      continue;
    global.setLinkage(GlobalValue::ExternalLinkage);
    global.setDSOLocal(false); // it may be far from the code
    global.setInitializer(Constant::getNullValue(global.getValueType()));
    shared[global.getName().str()] = module.getDataLayout().getTypeAllocSize(global.getValueType());
  }
  SmallVector<Function *> kernels;
  for (Function &function : module)
    if (function.getCallingConv() == CallingConv::PTX_Kernel)
      kernels.push_back(&function);
  for (Function *kernel : kernels) {
    kernel->setCallingConv(CallingConv::C);
    kernel->setLinkage(GlobalValue::ExternalLinkage);
    addCaller(*kernel);
  }
  for (Function &function : module)
    for (StringRef name : {"target-cpu", "target-features", "prefer-vector-width"})
      function.removeFnAttr(name);
}

/// Rounds to nearest, ties to even. For a host without an instruction, generated code calls a function of the
/// compiler's library, which not every process has.
static __bf16 roundToBf16(float value) {
  uint32_t bits = bit_cast<uint32_t>(value);
  bool isNan = (bits & 0x7fffffff) > 0x7f800000;
  uint32_t rounded = isNan ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1);
  return bit_cast<__bf16>(uint16_t(rounded >> 16));
}

static Error addSymbols(orc::LLJIT &jit, void **blockMemory) {
  orc::SymbolMap symbols;
  symbols[jit.mangleAndIntern("__truncsfbf2")] = {orc::ExecutorAddr::fromPtr(&roundToBf16),
                                                  JITSymbolFlags::Exported | JITSymbolFlags::Callable};
  symbols[jit.mangleAndIntern(blockMemoryName)] = {orc::ExecutorAddr::fromPtr(blockMemory), JITSymbolFlags::Exported};
  for (const DeviceIntrinsic &each : deviceIntrinsics())
    symbols[jit.mangleAndIntern(modelPrefix + std::string(each.name))] = {
        orc::ExecutorAddr::fromPtr(each.model), JITSymbolFlags::Exported | JITSymbolFlags::Callable};
  return jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols)));
}

/// Most of the code runs once, so instruction selection is fast and there are few passes.
static Expected<std::unique_ptr<orc::LLJIT>> createJit() {
  auto host = orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return host.takeError();
  host->setCodeGenOptLevel(CodeGenOptLevel::None);
  return orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*host)).create();
}

DeviceExecutor::DeviceExecutor(const std::string &ir) : loaded(std::make_unique<Loaded>()) {
  auto context = std::make_unique<LLVMContext>();
  SMDiagnostic diagnostic;
  if (std::unique_ptr<Module> module = parseIR(MemoryBufferRef(ir, "device"), diagnostic, *context))
    load(std::move(context), std::move(module));
  else
    message_ = "the device's code does not parse: " + diagnostic.getMessage().str();
}

DeviceExecutor::DeviceExecutor(std::unique_ptr<LLVMContext> context, std::unique_ptr<Module> ir)
    : loaded(std::make_unique<Loaded>()) {
  load(std::move(context), std::move(ir));
}

void DeviceExecutor::load(std::unique_ptr<LLVMContext> context, std::unique_ptr<Module> module) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto jit = createJit();
  if (!jit)
    return void(message_ = toString(jit.takeError()));
  loaded->jit = std::move(*jit);
  module->setDataLayout(loaded->jit->getDataLayout());
  module->setTargetTriple(loaded->jit->getTargetTriple());
  if (std::string unknown = replaceIntrinsics(*module); !unknown.empty())
    return void(message_ = "the executor has no model of " + unknown);
  if (std::string unknown = replaceAssembly(*module); !unknown.empty())
    return void(message_ = "the executor has no model of the text " + unknown);
  replaceBlockMemory(*module);
  prepareForHost(*module, loaded->shared);
  loaded->context = orc::ThreadSafeContext(std::move(context));
  loaded->module = std::move(module);
  Error error = addSymbols(*loaded->jit, &loaded->blockMemory);
  if (!error)
    error = loaded->add([&](StringRef name) { return loaded->shared.contains(name.str()); });
  if (error)
    message_ = toString(std::move(error));
}

DeviceExecutor::~DeviceExecutor() = default;

//===------------------------------------------ launch ------------------------------------------------------------===//

/// Compiles a function at its first launch, because only few variants of a kernel are launched.
Expected<orc::ExecutorAddr> DeviceExecutor::Loaded::bodyOf(const std::string &function) {
  std::string caller = callPrefix + function;
  if (compiled.insert(function).second)
    if (Error error = add([&](StringRef name) { return name == function || name == caller; }))
      return std::move(error);
  return jit->lookup(caller);
}

std::string DeviceExecutor::run(const Launch &launch, Order order) {
  if (!loaded->has(launch.function))
    return "no function " + launch.function;
  if (launch.blocks == 0)
    return "";
  auto function = loaded->bodyOf(launch.function);
  if (!function)
    return toString(function.takeError());
  Placement placement = order == Order::Descending ? Placement::AgainstStart : Placement::AgainstEnd;
  GuardedBuffer blockMemory(launch.blockBytes, placement, blockMemoryAlignment);
  loaded->blockMemory = blockMemory.data();
  std::vector<std::span<char>> shared = {{blockMemory.data(), static_cast<size_t>(launch.blockBytes)}};
  for (auto &[name, bytes] : loaded->shared) {
    auto memory = loaded->jit->lookup(name);
    if (!memory)
      return toString(memory.takeError());
    shared.emplace_back(memory->toPtr<char *>(), bytes);
  }
  for (int64_t iteration = 0; iteration < launch.blocks; ++iteration) {
    for (std::span<char> memory : shared)
      std::memset(memory.data(), 0xff, memory.size()); // NaN
    int64_t number = order == Order::Descending ? launch.blocks - 1 - iteration : iteration;
    auto *body = function->toPtr<void (*)(const uint64_t *)>();
    DeviceBlock block({number, launch.threads, body, launch.parameters.data(), shared, &loaded->maps, launch.sums});
    if (std::string fault = block.run(order); !fault.empty())
      return launch.function + ": " + fault;
  }
  return "";
}

} // namespace attnc
