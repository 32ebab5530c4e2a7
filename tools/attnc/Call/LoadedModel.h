//===- LoadedModel.h - a compiled model inside this process ---------------------------------------------------===//
//
// An object that attnc made, linked into this process as it would be into a program: its undefined symbols are memcpy,
// memset and memmove, and its one table (attn/model.h) names all else. The table and the code that it points to live as
// long as the LoadedModel. Its code can do what the process can: whoever runs an object trusts its maker. Errors are
// for users: the file can't be read, is no object, defines no model, or can't be linked.
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

/// A generated object, linked into this process; the object's own table says what it can do.
class LoadedModel {
public:
  /// Links an object that is in memory. Fails where the object defines no `<name>_model`, or wants what it should not.
  static llvm::Expected<LoadedModel> fromObject(std::unique_ptr<llvm::MemoryBuffer> object);
  /// Reads, checks and links a `.o` file.
  static llvm::Expected<LoadedModel> fromFile(const std::string &path);
  /// The bytes of a `.o` file whose table is well-formed (compiler/Emit/ObjectTable.h) and that is not damaged
  /// (compiler/Emit/Seal.h); nothing of it is executed.
  static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readObject(const std::string &path);

  LoadedModel(LoadedModel &&);
  LoadedModel &operator=(LoadedModel &&);
  ~LoadedModel();

  const attn_model &model() const { return *table; }

private:
  LoadedModel(std::unique_ptr<llvm::orc::LLJIT> linker, const attn_model *table, std::unique_ptr<LoadedCode> code);
  std::unique_ptr<llvm::orc::LLJIT> linker;
  std::unique_ptr<LoadedCode> code; ///< for the message of a crash in it
  const attn_model *table;
};

} // namespace attnc
