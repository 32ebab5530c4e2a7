//===- LoadedModel.h - JIT linking of a compiled model into this process ------------------------------------------===//
//
// A generated object is linked into this process as into a program. The undefined symbols of an object are memcpy,
// memset and memmove. The model table of an object (attn/model.h) refers to all of its functions and data. The table
// and the code exist as long as the LoadedModel. The code has all permissions of the process, so only objects from a
// trusted source should be loaded. Errors are user errors: the file cannot be read, is damaged or not an object,
// defines no model, or cannot be linked.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace llvm::orc {
class LLJIT;
}

namespace attnc {

class LoadedCode;

/// A generated object that is linked into this process.
class LoadedModel {
public:
  /// Links an object in memory, without the checks of readObject(). An error if the bytes are not an object, if it
  /// defines no `<name>_model`, or if a symbol cannot be resolved.
  static llvm::Expected<LoadedModel> fromObject(std::unique_ptr<llvm::MemoryBuffer> object);
  /// Reads and checks a `.o` file as readObject() does, and links it.
  static llvm::Expected<LoadedModel> fromFile(const std::string &path);
  /// The bytes of a `.o` file, after checks of its model table (compiler/Emit/ObjectTable.h) and of its checksum
  /// (compiler/Emit/Checksum.h). Executes none of its code.
  static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readObject(const std::string &path);

  LoadedModel(LoadedModel &&);
  LoadedModel &operator=(LoadedModel &&);
  ~LoadedModel();

  /// The model table, in the linked object; valid while this object, or the one that it is moved to, exists.
  const attn_model &model() const { return *table; }

private:
  LoadedModel(std::unique_ptr<llvm::orc::LLJIT> linker, const attn_model *table, std::unique_ptr<LoadedCode> code);
  std::unique_ptr<llvm::orc::LLJIT> linker;
  std::unique_ptr<LoadedCode> code; ///< its functions, for the message of a crash
  const attn_model *table;
};

} // namespace attnc
