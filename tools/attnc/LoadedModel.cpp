#include "tools/attnc/LoadedModel.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;

namespace attnc {

LoadedModel::LoadedModel(std::unique_ptr<orc::LLJIT> linker, const attn_model *table)
    : linker(std::move(linker)), table(table) {}
LoadedModel::LoadedModel(LoadedModel &&) = default;
LoadedModel &LoadedModel::operator=(LoadedModel &&) = default;
LoadedModel::~LoadedModel() = default;

/// The name of the object's table: its one global symbol that ends in `_model`.
static Expected<std::string> findTable(const MemoryBuffer &object) {
  auto file = object::ObjectFile::createObjectFile(object.getMemBufferRef());
  if (!file)
    return createStringError(
        formatv("{0}: not an object file: {1}", object.getBufferIdentifier(), toString(file.takeError())));
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    auto name = symbol.getName();
    auto flags = symbol.getFlags();
    if (!name || !flags) {
      consumeError(name.takeError());
      consumeError(flags.takeError());
      continue;
    }
    if (name->ends_with("_model") && (*flags & object::BasicSymbolRef::SF_Global) &&
        !(*flags & object::BasicSymbolRef::SF_Undefined))
      return name->str();
  }
  return createStringError(
      formatv("{0}: no compiled model: it defines no symbol <name>_model", object.getBufferIdentifier()));
}

Expected<LoadedModel> LoadedModel::fromObject(std::unique_ptr<MemoryBuffer> object) {
  auto name = findTable(*object);
  if (!name)
    return name.takeError();
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto linker = orc::LLJITBuilder().create();
  if (!linker)
    return linker.takeError();
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess((*linker)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  (*linker)->getMainJITDylib().addGenerator(std::move(*process));
  if (Error error = (*linker)->addObjectFile(std::move(object)))
    return std::move(error);
  auto address = (*linker)->lookup(*name);
  if (!address)
    return address.takeError();
  return LoadedModel(std::move(*linker), address->toPtr<const attn_model *>());
}

Expected<LoadedModel> LoadedModel::fromFile(const std::string &path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(formatv("{0}: can't be read: {1}", path, buffer.getError().message()));
  return fromObject(std::move(*buffer));
}

} // namespace attnc
