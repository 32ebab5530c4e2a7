#include "compiler/Verify/ObjectSections.h"
#include "llvm/Object/ELFObjectFile.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

using namespace llvm;

namespace attnc::verify {

/// Parses a relocatable object.
static Expected<std::unique_ptr<object::ObjectFile>> open(StringRef bytes) {
  auto file = object::ObjectFile::createObjectFile(MemoryBufferRef(bytes, ""));
  if (!file) {
    consumeError(file.takeError());
    return createStringError("is not an object file");
  }
  if (!isa<object::ELFObjectFileBase>(**file) || !(*file)->isRelocatableObject())
    return createStringError("is not an object file that attnc wrote");
  return file;
}

static StringRef contentOf(const object::SectionRef &section) {
  Expected<StringRef> content = section.getContents();
  if (content)
    return *content;
  consumeError(content.takeError());
  return "";
}

static std::string nameOf(const object::SectionRef &section) {
  Expected<StringRef> name = section.getName();
  if (name)
    return name->str();
  consumeError(name.takeError());
  return "";
}

Expected<StringRef> sectionOf(StringRef bytes, StringRef section) {
  auto file = open(bytes);
  if (!file)
    return file.takeError();
  for (const object::SectionRef &each : (*file)->sections())
    if (nameOf(each) == section)
      return contentOf(each);
  return createStringError("has no section " + section);
}

/// ", x_run+0x10": the function or constant at an offset; empty if there is none.
static std::string symbolAt(const object::ObjectFile &file, const object::SectionRef &section, uint64_t offset) {
  for (const object::ELFSymbolRef &symbol : cast<object::ELFObjectFileBase>(file).symbols()) {
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
static std::string differenceFrom(const object::ObjectFile &file, const object::SectionRef &section, StringRef found) {
  StringRef expected = contentOf(section);
  size_t at = std::ranges::mismatch(found, expected).in1 - found.begin();
  if (at == std::min(found.size(), expected.size()))
    return fmt::format("section {} has {} bytes, expected {}", nameOf(section), found.size(), expected.size());
  return fmt::format("section {} is {:#04x} at {:#x}{}, expected {:#04x}", nameOf(section), uint8_t(found[at]), at,
                     symbolAt(file, section, at), uint8_t(expected[at]));
}

std::vector<std::string> differences(StringRef found, StringRef expected) {
  std::vector<std::string> result;
  if (found == expected)
    return result;
  auto foundFile = open(found), expectedFile = open(expected);
  if (!foundFile || !expectedFile) {
    consumeError(foundFile.takeError());
    consumeError(expectedFile.takeError());
    return {"it is not an object file"};
  }
  std::map<std::string, object::SectionRef> missing;
  for (const object::SectionRef &each : (*expectedFile)->sections())
    missing[nameOf(each)] = each;
  for (const object::SectionRef &each : (*foundFile)->sections()) {
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
