#include "compiler/Codegen/GPU/Nest/SharedArray.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace attnc {

SharedArray::SharedArray(const ThreadPosition &position, const std::string &name, int64_t count, OpBuilder &builder,
                         Location location)
    : b(builder), loc(location) {
  std::string symbol = position.symbol + "$" + name; // PTX has no names with points
  auto type = LLVM::LLVMArrayType::get(b.getI32Type(), count);
  ModuleOp code = position.code;
  OpBuilder atStart = OpBuilder::atBlockBegin(code.getBody());
  LLVM::GlobalOp::create(atStart, loc, type, /*isConstant=*/false, LLVM::Linkage::Internal, symbol, Attribute(),
                         deviceAlignment, sharedSpace);
  memory = LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), sharedSpace), symbol);
}

Value SharedArray::addressOf(Value at) {
  Value word = arith::IndexCastOp::create(b, loc, b.getI64Type(), at);
  return LLVM::GEPOp::create(b, loc, memory.getType(), b.getI32Type(), memory, ValueRange{word});
}

Value SharedArray::load(Type type, Value at) { return LLVM::LoadOp::create(b, loc, type, addressOf(at)); }

void SharedArray::store(Value value, Value at) { LLVM::StoreOp::create(b, loc, value, addressOf(at)); }

} // namespace attnc
