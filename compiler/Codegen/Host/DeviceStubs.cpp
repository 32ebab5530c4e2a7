#include "compiler/Codegen/Host/DeviceStubs.h"
#include "compiler/Codegen/Host/Moves.h"
#include "compiler/Codegen/Target/Abi.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace attnc {

static void emitStub(const std::string &symbol, ModuleOp code) {
  ImplicitLocOpBuilder b = ImplicitLocOpBuilder::atBlockEnd(code.getLoc(), code.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto function = func::FuncOp::create(b, symbol, b.getFunctionType({pointer, b.getI64Type(), pointer}, {}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  Value word =
      LLVM::GEPOp::create(b, pointer, b.getI64Type(), entry->getArgument(0), ArrayRef<LLVM::GEPArg>{abi::argsStatus});
  Value status = LLVM::LoadOp::create(b, pointer, word);
  LLVM::StoreOp::create(b, arith::ConstantIntOp::create(b, ATTN_UNSUPPORTED, 32), status);
  func::ReturnOp::create(b);
}

void emitDeviceStubs(const Program &program, ModuleOp code) {
  for (const KernelPhase *phase : program.phases())
    emitStub(phase->symbol, code);
  emitStub(fetchSymbol.str(), code);
}

} // namespace attnc
