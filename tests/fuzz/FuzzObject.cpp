// Fuzzes the table of an object: arbitrary bytes give a table that can be walked or a message. The search for damage
// ends with or without a finding.
#include "compiler/Emit/Checksum.h"
#include "compiler/Emit/ObjectTable.h"
#include "compiler/Emit/Record.h"
#include "compiler/Verify/ObjectSections.h"
#include "tests/support/TableWalk.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdlib>
#include <vector>

using namespace attnc;

static void require(bool condition) {
  if (!condition)
    abort();
}

static void writeChecksumOfCopy(llvm::StringRef bytes) {
  std::vector<char> object(bytes.begin(), bytes.end());
  if (llvm::Error error = writeChecksum(object))
    require(!toString(std::move(error)).empty());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto file = llvm::MemoryBuffer::getMemBufferCopy({reinterpret_cast<const char *>(data), size});
  if (llvm::Error error = walkTable(file->getBuffer()))
    require(!toString(std::move(error)).empty());
  llvm::consumeError(verifyChecksum(file->getBuffer()));
  writeChecksumOfCopy(file->getBuffer());
  for (llvm::StringRef section : {moduleSection, checksumSection})
    llvm::consumeError(verify::sectionOf(file->getBuffer(), section).takeError());
  return 0;
}
