#include "tools/attnc/Call/LoadedModel.h"
#include "compiler/Diagnostics/CrashNote.h"
#include "compiler/Emit/ObjectTable.h"
#include "compiler/Json/InputBuffer.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;

namespace attnc {

LoadedModel::LoadedModel(std::unique_ptr<orc::LLJIT> linker, const attn_model *table, std::unique_ptr<LoadedCode> code)
    : linker(std::move(linker)), code(std::move(code)), table(table) {}
LoadedModel::LoadedModel(LoadedModel &&) = default;
LoadedModel &LoadedModel::operator=(LoadedModel &&) = default;
LoadedModel::~LoadedModel() = default;

/// The name of the object's model table: its only global symbol that ends in `_model`.
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

/// The functions of an object whose entry point `run` is at a given address: all code is in one section.
static std::vector<LoadedCode::Function> functionsOf(const MemoryBuffer &object, const std::string &run,
                                                     uintptr_t address) {
  std::vector<LoadedCode::Function> functions;
  auto file = cantFail(object::ObjectFile::createObjectFile(object.getMemBufferRef()));
  std::optional<uint64_t> place;
  for (const object::ELFSymbolRef &symbol : cast<object::ELFObjectFileBase>(*file).symbols()) {
    auto name = symbol.getName();
    auto value = symbol.getValue();
    if (!name || !value || symbol.getELFType() != ELF::STT_FUNC || symbol.getSize() == 0) {
      consumeError(name.takeError());
      consumeError(value.takeError());
      continue;
    }
    if (*name == run)
      place = *value;
    functions.push_back({*value, *value + symbol.getSize(), name->str()});
  }
  if (!place)
    return {};
  for (LoadedCode::Function &each : functions) {
    each.begin += address - *place;
    each.end += address - *place;
  }
  return functions;
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
  // The linker takes ownership of the object's bytes.
  if (Error error = (*linker)->addObjectFile(MemoryBuffer::getMemBuffer(object->getMemBufferRef(), false)))
    return std::move(error);
  auto address = (*linker)->lookup(*name);
  if (!address)
    return address.takeError();
  auto *table = address->toPtr<const attn_model *>();
  std::vector<LoadedCode::Function> functions;
  if (table->entry_count > 0)
    functions = functionsOf(*object, (Twine(table->name) + "_" + table->entries[0].name + "_run").str(),
                            reinterpret_cast<uintptr_t>(table->entries[0].run));
  auto code = std::make_unique<LoadedCode>(object->getBufferIdentifier().str(), std::move(functions));
  return LoadedModel(std::move(*linker), table, std::move(code));
}

Expected<std::unique_ptr<MemoryBuffer>> LoadedModel::readObject(const std::string &path) {
  auto file = readInputFile(path);
  if (!file)
    return createStringError(formatv("{0}: can't be read: {1}", path, toString(file.takeError())));
  if (auto table = ObjectTable::readWithChecksum((*file)->getBuffer()); !table)
    return createStringError(path + " " + toString(table.takeError()));
  return std::move(*file);
}

Expected<LoadedModel> LoadedModel::fromFile(const std::string &path) {
  auto object = readObject(path);
  return object ? fromObject(std::move(*object)) : object.takeError();
}

} // namespace attnc
