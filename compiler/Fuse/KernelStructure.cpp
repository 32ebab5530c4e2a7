#include "compiler/Fuse/KernelStructure.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace attnc {

std::string kernelStructure(func::FuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << kernel.getFunctionType();
  for (NamedAttribute attribute : kernel->getAttrs())
    if (attribute.getName() != SymbolTable::getSymbolAttrName())
      stream << attribute.getName() << '=' << attribute.getValue() << ';';
  AsmState names(kernel, OpPrintingFlags().useLocalScope()); // numbers the values of all ops once
  for (Operation &op : kernel.front())                       // locations are not printed
    op.print(stream, names);
  return text;
}

std::string kernelFingerprint(func::FuncOp kernel) {
  std::string structure = kernelStructure(kernel);
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(structure));
  return llvm::utohexstr(hash.high64, /*LowerCase=*/true, 16) + llvm::utohexstr(hash.low64, /*LowerCase=*/true, 16);
}

} // namespace attnc
