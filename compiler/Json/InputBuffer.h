//===- InputBuffer.h - read a whole file into a memory buffer ---------------------------------------------------===//
//
// attnc calls this function instead of llvm::MemoryBuffer::getFile. The differences: only regular files are read, files
// are not mapped (for the reasons in compiler/Diagnostics/InputFile.h), and lack of memory is an error instead of an
// exception.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <string>

namespace attnc {

/// All bytes of a file, with a terminating zero. The error is only the reason, without the path: "No such file or
/// directory".
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readInputFile(const std::string &path);

} // namespace attnc
