#include "compiler/Codegen/GPU/Backend/DeviceBackend.h"
#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace attnc {

void registerDeviceDialects(DialectRegistry &registry) {
  registry.insert<NVVM::NVVMDialect>();
  registerNVVMDialectTranslation(registry);
}

/// The register limit of a kernel whose warp groups redistribute registers (setmaxnreg). Its blocks are launched with
/// all registers of a multiprocessor: a warp group can only acquire registers that others released, and would block for
/// ever if the launch had allocated fewer.
static std::optional<int32_t> registersAtLaunch(LLVM::LLVMFuncOp function, int64_t threads) {
  constexpr int64_t registers = 1 << 16, granularity = 8;
  bool redistributes = function.walk([](NVVM::SetMaxRegisterOp) { return WalkResult::interrupt(); }).wasInterrupted();
  return redistributes ? std::optional(static_cast<int32_t>(registers / threads / granularity * granularity))
                       : std::nullopt;
}

LogicalResult lowerDeviceCode(ModuleOp code, const Target &target) {
  if (failed(lowerToLlvmDialect(code, target)))
    return failure();
  Builder builder(code.getContext());
  for (auto function : code.getOps<LLVM::LLVMFuncOp>()) {
    auto threads = function->getAttrOfType<IntegerAttr>(threadsAttrName);
    if (!threads)
      continue;
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    int32_t alongX = static_cast<int32_t>(threads.getInt());
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), builder.getDenseI32ArrayAttr({alongX, 1, 1}));
    // Without either attribute ptxas limits registers for the sake of occupancy, and spills.
    if (auto registers = registersAtLaunch(function, threads.getInt()))
      function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(), builder.getI32IntegerAttr(*registers));
    else
      function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), builder.getI32IntegerAttr(1));
  }
  return success();
}

FailureOr<std::string> emitPtx(ModuleOp code, LlvmCode &llvmCode, const Target &target) {
  for (const llvm::Function &function : *llvmCode.module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty())
      return code.emitError() << "device code calls '" << function.getName() << "', which it does not define";
  FailureOr<SmallVector<char, 0>> text = emit(llvmCode, target, OutputKind::Assembly);
  if (failed(text))
    return failure();
  std::string ptx(text->begin(), text->end());
  // Dynamic shared memory is `.extern` too (Tile/BlockMemory.h).
  if (ptx.find(".extern .func") != std::string::npos)
    return code.emitError() << "device code calls a library function in place of an instruction";
  return ptx;
}

} // namespace attnc
