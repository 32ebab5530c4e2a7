//===- InputBuffer.h - a whole file in memory -------------------------------------------------------------------===//
//
// What llvm::MemoryBuffer::getFile does, of regular files alone and without mapping them (compiler/Diagnostics/
// InputFile.h says why), and with an error, not an exception, where there is no memory for a file.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <string>

namespace attnc {

/// All bytes of a file, with a zero behind them. The error is the reason alone, as part of a sentence: "No such file or
/// directory".
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readInputFile(const std::string &path);

} // namespace attnc
