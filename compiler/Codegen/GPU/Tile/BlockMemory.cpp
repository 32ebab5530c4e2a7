#include "compiler/Codegen/GPU/Tile/BlockMemory.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc {

static constexpr llvm::StringLiteral memoryName = "attn$block";

BlockMemory::BlockMemory(TileBuilder &tiles, ModuleOp code) {
  OpBuilder &b = tiles.builder;
  if (!code.lookupSymbol(memoryName)) {
    OpBuilder atStart = OpBuilder::atBlockBegin(code.getBody());
    LLVM::GlobalOp::create(atStart, code.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false,
                           LLVM::Linkage::External, memoryName, Attribute(), alignment, sharedSpace);
  }
  base =
      LLVM::AddressOfOp::create(b, tiles.location, LLVM::LLVMPointerType::get(b.getContext(), sharedSpace), memoryName);
}

int64_t BlockMemory::allocate(int64_t bytes, int64_t alignment) {
  int64_t offset = llvm::alignTo(allocated, alignment);
  allocated = offset + llvm::alignTo(bytes, defaultAlignment);
  return offset;
}

} // namespace attnc
