#include "compiler/Json/InputBuffer.h"
#include "compiler/Diagnostics/InputFile.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace attnc {

Expected<std::unique_ptr<MemoryBuffer>> readInputFile(const std::string &path) {
  InputFile file(path);
  if (!file.isOpen())
    return createStringError(file.problem());
  std::unique_ptr<WritableMemoryBuffer> buffer = WritableMemoryBuffer::getNewUninitMemBuffer(file.size(), path);
  if (!buffer)
    return createStringError(formatv("no memory for its {0} bytes", file.size()));
  if (!file.read(0, file.size(), buffer->getBufferStart()))
    return createStringError(file.problem());
  return std::move(buffer);
}

} // namespace attnc
