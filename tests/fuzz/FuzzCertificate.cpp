// Fuzzes the certificate of an object: arbitrary bytes give an error, or slots, values and sizes that can be read. The
// reader of objects finds their sections or reports that they are no object.
#include "compiler/Emit/Record.h"
#include "compiler/Verify/Certificate.h"
#include "compiler/Verify/ObjectSections.h"
#include <cstdlib>

using namespace attnc;

static void require(bool condition) {
  if (!condition)
    abort();
}

static void requireSize(const SizeExpr &bytes, const verify::EntryCertificate &entry) {
  for (int64_t size : {int64_t(0), int64_t(1), int64_t(1) << 40})
    bytes.evaluate(std::vector<int64_t>(entry.symbols.size(), size));
}

static void readCertificate(llvm::StringRef text) {
  auto certificate = verify::Certificate::parse(text);
  if (!certificate) {
    require(!toString(certificate.takeError()).empty());
    return;
  }
  for (const verify::EntryCertificate &entry : certificate->entries) {
    requireSize(entry.arenaBytes, entry);
    for (auto [number, slot] : llvm::enumerate(entry.slots)) {
      requireSize(slot.bytes, entry);
      require(!slot.within || *slot.within < int64_t(number));
      require(!slot.behind || *slot.behind < int64_t(number));
    }
    for (const auto &[value, location] : entry.values)
      require(location.kind != verify::ValueLocation::Kind::Slot || location.number < int64_t(entry.slots.size()));
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  readCertificate(bytes);
  if (auto content = decompressed(bytes))
    readCertificate(*content);
  else
    require(!toString(content.takeError()).empty());
  for (llvm::StringRef section : {moduleSection, certificateSection}) {
    auto content = verify::sectionOf(bytes, section);
    if (content)
      require(content->empty() || (content->begin() >= bytes.begin() && content->end() <= bytes.end()));
    else
      require(!toString(content.takeError()).empty());
  }
  require(verify::differences(bytes, bytes).empty());
  return 0;
}
