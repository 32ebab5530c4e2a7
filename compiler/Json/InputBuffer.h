//===- InputBuffer.h - read a whole file into a memory buffer -----------------------------------------------------===//
//
// attnc calls readInputFile() instead of llvm::MemoryBuffer::getFile, with three differences. Only regular files are
// read; files are not mapped (compiler/Diagnostics/InputFile.h has the reasons); and lack of memory is an error, not a
// crash.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <string>

namespace attnc {

/// A buffer with all bytes of the file, followed by a zero that its size does not count. The error is a phrase without
/// the path: "No such file or directory".
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readInputFile(const std::string &path);

} // namespace attnc
