#include "compiler/Verify/ObjectSections.h"
#include "llvm/Object/ELFObjectFile.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace attnc::verify {

/// Parses a relocatable object.
static llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> open(llvm::StringRef bytes) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, ""));
  if (!file) {
    consumeError(file.takeError());
    return llvm::createStringError("is not an object file");
  }
  if (!llvm::isa<llvm::object::ELFObjectFileBase>(**file) || !(*file)->isRelocatableObject())
    return llvm::createStringError("is not an object file that attnc wrote");
  return file;
}

static llvm::StringRef contentOf(const llvm::object::SectionRef &section) {
  llvm::Expected<llvm::StringRef> content = section.getContents();
  if (content)
    return *content;
  consumeError(content.takeError());
  return "";
}

static std::string nameOf(const llvm::object::SectionRef &section) {
  llvm::Expected<llvm::StringRef> name = section.getName();
  if (name)
    return name->str();
  consumeError(name.takeError());
  return "";
}

llvm::Expected<llvm::StringRef> sectionOf(llvm::StringRef bytes, llvm::StringRef section) {
  auto file = open(bytes);
  if (!file)
    return file.takeError();
  for (const llvm::object::SectionRef &each : (*file)->sections())
    if (nameOf(each) == section)
      return contentOf(each);
  return createStringError("has no section " + section);
}

/// ", x_run+0x10": the function or constant at an offset; empty if there is none.
static std::string symbolAt(const llvm::object::ObjectFile &file, const llvm::object::SectionRef &section,
                            uint64_t offset) {
  for (const llvm::object::ELFSymbolRef &symbol : llvm::cast<llvm::object::ELFObjectFileBase>(file).symbols()) {
    auto home = symbol.getSection();
    auto name = symbol.getName();
    auto begin = symbol.getValue();
    if (!home || !name || !begin) {
      consumeError(home.takeError());
      consumeError(name.takeError());
      consumeError(begin.takeError());
      continue;
    }
    if (*home != file.section_end() && **home == section && *begin <= offset && offset < *begin + symbol.getSize())
      return fmt::format(", {}+{:#x}", name->str(), offset - *begin);
  }
  return "";
}

/// Symbols come from the expected object, as `found` may be malformed.
static std::string differenceFrom(const llvm::object::ObjectFile &file, const llvm::object::SectionRef &section,
                                  llvm::StringRef found) {
  llvm::StringRef expected = contentOf(section);
  size_t at = std::ranges::mismatch(found, expected).in1 - found.begin();
  if (at == std::min(found.size(), expected.size()))
    return fmt::format("section {} has {} bytes, expected {}", nameOf(section), found.size(), expected.size());
  return fmt::format("section {} is {:#04x} at {:#x}{}, expected {:#04x}", nameOf(section), uint8_t(found[at]), at,
                     symbolAt(file, section, at), uint8_t(expected[at]));
}

std::vector<std::string> differences(llvm::StringRef found, llvm::StringRef expected) {
  std::vector<std::string> result;
  if (found == expected)
    return result;
  auto foundFile = open(found), expectedFile = open(expected);
  if (!foundFile || !expectedFile) {
    consumeError(foundFile.takeError());
    consumeError(expectedFile.takeError());
    return {"it is not an object file"};
  }
  std::map<std::string, llvm::object::SectionRef> missing;
  for (const llvm::object::SectionRef &each : (*expectedFile)->sections())
    missing[nameOf(each)] = each;
  for (const llvm::object::SectionRef &each : (*foundFile)->sections()) {
    auto other = missing.find(nameOf(each));
    if (other == missing.end()) {
      result.push_back("section " + nameOf(each) + " is not expected");
      continue;
    }
    if (contentOf(each) != contentOf(other->second))
      result.push_back(differenceFrom(**expectedFile, other->second, contentOf(each)));
    missing.erase(other);
  }
  for (const auto &[name, section] : missing)
    result.push_back("section " + name + " is missing");
  if (result.empty())
    result.push_back(fmt::format("byte {:#x} of the file, in no section, is not as expected",
                                 std::ranges::mismatch(found, expected).in1 - found.begin()));
  return result;
}

} // namespace attnc::verify
