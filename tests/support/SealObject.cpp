// seal-object FILE.o: updates the checksum of an object that a test has changed (compiler/Emit/Checksum.h), so that
// commands accept it.
#include "compiler/Emit/Checksum.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

using namespace attnc;

int main(int count, char **arguments) {
  auto file = llvm::MemoryBuffer::getFile(count == 2 ? arguments[1] : "", /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  if (!file) {
    llvm::errs() << "seal-object: expected an object file\n";
    return 1;
  }
  std::vector<char> object((*file)->getBufferStart(), (*file)->getBufferEnd());
  if (llvm::Error error = writeChecksum(object)) {
    llvm::errs() << "seal-object: " << arguments[1] << ": " << toString(std::move(error)) << "\n";
    return 1;
  }
  std::error_code code;
  llvm::raw_fd_ostream stream(arguments[1], code, llvm::sys::fs::CD_CreateAlways);
  stream.write(object.data(), object.size());
  stream.close();
  return code || stream.has_error() ? 1 : 0;
}
