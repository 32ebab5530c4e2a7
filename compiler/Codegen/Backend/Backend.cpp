#include "compiler/Codegen/Backend/Backend.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <fmt/format.h>
#include <mutex>

using namespace mlir;

namespace attnc {

LlvmCode::LlvmCode() = default;
LlvmCode::LlvmCode(LlvmCode &&) = default;
LlvmCode &LlvmCode::operator=(LlvmCode &&) = default;
LlvmCode::~LlvmCode() = default;

void registerBackendDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                  index::IndexDialect, LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  ub::UBDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

static void setTargetAttributes(llvm::Module &module, const Target &target) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

/// Marks inline PTX that all threads of a warp must execute together as convergent, which MLIR ops cannot express.
static void markTogether(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = dyn_cast<llvm::CallInst>(&instruction); call && call->isInlineAsm())
        call->setConvergent();
}

FailureOr<LlvmCode> translateToLlvm(ModuleOp code, const Target &target) {
  LlvmCode llvmCode;
  llvmCode.context = std::make_unique<llvm::LLVMContext>();
  llvmCode.module = translateModuleToLLVMIR(code, *llvmCode.context, "attn", /*disableVerification=*/true);
  if (!llvmCode.module)
    return failure();
  llvmCode.module->setTargetTriple(llvm::Triple(target.architecture().triple));
  llvmCode.module->setDataLayout(target.createMachine()->createDataLayout());
  setTargetAttributes(*llvmCode.module, target);
  if (target.isDevice)
    markTogether(*llvmCode.module);
  return llvmCode;
}

/// Decides inlining in the clear cases: a function with one call is inlined unless it is huge; a function with several
/// calls is not inlined unless it is short.
static void adviseInliner(llvm::Module &module) {
  constexpr unsigned huge = 1000, tooLong = 500;
  for (llvm::Function &function : module) {
    if (!function.hasLocalLinkage() || function.hasFnAttribute(llvm::Attribute::NoInline) ||
        function.hasFnAttribute(llvm::Attribute::AlwaysInline))
      continue;
    auto *call = function.hasOneUse() ? dyn_cast<llvm::CallInst>(function.user_back()) : nullptr;
    bool hasOneCaller = call && call->getCalledFunction() == &function;
    unsigned length = function.getInstructionCount();
    if (hasOneCaller && length <= huge)
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    if (!hasOneCaller && length > tooLong)
      function.addFnAttr(llvm::Attribute::NoInline);
  }
}

/// The LLVM passes that improve generated code: branch weights, inlining of phase bodies, folding, common
/// subexpressions, loop-invariant code motion. Emitters unroll and vectorise themselves. The rest of -O3 took two
/// thirds of the compile time and made GPT-2 slower by a fifteenth, because it unrolled loops that already used all
/// registers.
static std::string passPipeline(bool isDevice) {
  // On processors `gvn`, `indvars`, `loop-deletion` and a second `instcombine` took two thirds of the time of these
  // passes, and kernels are as fast without them: generated code has canonical induction variables and no loops without
  // effect, and `early-cse` finds its common subexpressions. On devices, attention without them spills registers.
  const char *redundancies =
      isDevice ? "gvn,loop(indvars,loop-deletion),dse,instcombine<no-verify-fixpoint>" : "dse,early-cse<memssa>";
  // Infers alignment, so that the device's code generator merges four elements into one access.
  const char *tail = isDevice ? ",function(infer-alignment)" : "";
  return fmt::format("function(lower-expect),cgscc(inline),"
                     "function<eager-inv>(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
                     "simplifycfg,loop-mssa(licm<allowspeculation>),{},loop-mssa(licm<allowspeculation>),simplifycfg),"
                     "globaldce,constmerge{}",
                     redundancies, tail);
}

void optimise(LlvmCode &code, const Target &target) {
  std::unique_ptr<llvm::TargetMachine> machine = target.createMachine();
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (!target.isDevice)
    adviseInliner(*code.module);
  llvm::cantFail(builder.parsePassPipeline(passes, passPipeline(target.isDevice)));
  passes.run(*code.module, modules);
}

namespace {

/// Switches LLVM's loop strength reduction off in its scope. The pass takes a fifth of the time of the code generator,
/// and kernels are as fast without it. Device code keeps the pass. The cheapest switch is an option of the process,
/// which LLVM reads when it builds the pipeline of the code generator.
class StrengthReductionScope {
public:
  explicit StrengthReductionScope(bool isOn) : lock(mutex()), isDisabled(option()) { option() = !isOn; }
  ~StrengthReductionScope() { option() = isDisabled; }

private:
  static std::mutex &mutex() {
    static std::mutex instance;
    return instance;
  }
  static llvm::cl::opt<bool> &option() {
    auto *found = llvm::cl::getRegisteredOptions().lookup("disable-lsr");
    if (!found)
      llvm::report_fatal_error("LLVM has no option disable-lsr");
    return *static_cast<llvm::cl::opt<bool> *>(found);
  }

  std::lock_guard<std::mutex> lock;
  bool isDisabled;
};

} // namespace

FailureOr<SmallVector<char, 0>> emit(LlvmCode &code, const Target &target, OutputKind kind) {
  std::unique_ptr<llvm::TargetMachine> machine = target.createMachine();
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  auto fileType = kind == OutputKind::Object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
  {
    StrengthReductionScope strengthReduction(/*isOn=*/target.isDevice);
    if (machine->addPassesToEmitFile(passes, stream, nullptr, fileType))
      return failure();
  }
  passes.run(*code.module);
  return bytes;
}

/// Verifies that memcpy, memset and memmove are the only undefined symbols of an object.
LogicalResult verifyUndefinedSymbols(ModuleOp code, ArrayRef<char> object) {
  llvm::MemoryBufferRef buffer(StringRef(object.data(), object.size()), "object");
  auto file = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!file)
    return code.emitError() << "object is malformed: " << llvm::toString(file.takeError());
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name || !(*flags & llvm::object::SymbolRef::SF_Undefined) || name->empty())
      continue;
    if (*name != "memcpy" && *name != "memmove" && *name != "memset")
      return code.emitError() << "generated code calls '" << *name << "', which objects may not call";
  }
  return success();
}

FailureOr<SmallVector<char, 0>> compileToObject(ModuleOp code, const Target &target) {
  if (failed(lowerToLlvmDialect(code, target)))
    return failure();
  FailureOr<LlvmCode> llvmCode = translateToLlvm(code, target);
  if (failed(llvmCode))
    return failure();
  optimise(*llvmCode, target);
  auto object = emit(*llvmCode, target, OutputKind::Object);
  if (failed(object) || failed(verifyUndefinedSymbols(code, *object)))
    return failure();
  return object;
}

} // namespace attnc
