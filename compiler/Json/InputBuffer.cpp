#include "compiler/Json/InputBuffer.h"
#include "compiler/Diagnostics/InputFile.h"
#include "llvm/Support/FormatVariadic.h"

namespace attnc {

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readInputFile(const std::string &path) {
  InputFile file(path);
  if (!file.isOpen())
    return llvm::createStringError(file.problem());
  std::unique_ptr<llvm::WritableMemoryBuffer> buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(file.size(), path);
  if (!buffer)
    return createStringError(llvm::formatv("no memory for its {0} bytes", file.size()));
  if (!file.read(0, file.size(), buffer->getBufferStart()))
    return llvm::createStringError(file.problem());
  return std::move(buffer);
}

} // namespace attnc
