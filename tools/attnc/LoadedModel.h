//===- LoadedModel.h - a compiled model inside this process ---------------------------------------------------===//
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

/// A generated object, linked into this process; the object's own table says what it can do.
class LoadedModel {
public:
  /// Links an object that is in memory. Fails where the object defines no `<name>_model`, or wants what it should not.
  static llvm::Expected<LoadedModel> fromObject(std::unique_ptr<llvm::MemoryBuffer> object);
  /// Reads and links a `.o` file.
  static llvm::Expected<LoadedModel> fromFile(const std::string &path);

  LoadedModel(LoadedModel &&);
  LoadedModel &operator=(LoadedModel &&);
  ~LoadedModel();

  const attn_model &model() const { return *table; }

private:
  LoadedModel(std::unique_ptr<llvm::orc::LLJIT> linker, const attn_model *table);
  std::unique_ptr<llvm::orc::LLJIT> linker;
  const attn_model *table;
};

} // namespace attnc
