// Fuzzes .npy, .txt and .words files: arbitrary bytes give a message, or a tensor of the declared size.
#include "tools/attnc/Tensors/TensorFile.h"
#include "tools/attnc/Tensors/TextFile.h"
#include "tools/attnc/Tensors/Vocabulary.h"
#include "tools/attnc/Tensors/Words.h"
#include <cstdlib>

using namespace attnc;

static void require(bool condition) {
  if (!condition)
    abort();
}

static std::optional<HostTensor> readAs(const char *path, const std::string &bytes) {
  InputFile file = InputFile::inMemory(path, bytes);
  auto tensor = readTensor(file);
  if (!tensor) {
    require(!toString(tensor.takeError()).empty());
    return std::nullopt;
  }
  require(tensor->bytes.size() == size_t(*HostTensor::bytesFor("", tensor->dtype, tensor->shape)));
  require(tensor->count() == 0 || tensor->bytes.size() % tensor->count() == 0);
  return std::move(*tensor);
}

/// Reads a header with its length before it, up to its last '}', so that the fuzzer need not guess the length.
static void readNpy(const std::string &text) {
  size_t length = text.rfind('}') == std::string::npos ? text.size() : text.rfind('}') + 1;
  uint16_t written = static_cast<uint16_t>(length);
  readAs("a.npy", std::string("\x93NUMPY\x01\x00", 8) + std::string(reinterpret_cast<char *>(&written), 2) + text);
}

static void readText(const std::string &text) {
  std::optional<HostTensor> tokens = readAs("a.txt", text);
  if (!tokens)
    return;
  auto lines = linesOf(*tokens);
  require(bool(lines));
  std::optional<HostTensor> again = readAs("a.txt", *lines);
  // Written lines lose a second UTF-8 byte order mark, and a "\r" at the end of a line.
  bool losesSome = lines->starts_with("\xEF\xBB\xBF") || lines->find('\r') != std::string::npos;
  require(again && (again->bytes == tokens->bytes || losesSome));
}

/// Text is words of its own vocabulary, which are written and read again as the same tokens. Any text is a vocabulary
/// or an error.
static void readWords(const std::string &text) {
  auto lines = TextLines::split("a.words", text);
  if (!lines) {
    require(!toString(lines.takeError()).empty());
    return;
  }
  if (auto parsed = Vocabulary::parse(*lines)) {
    auto again = TextLines::split("a", parsed->text());
    bool hasMark = parsed->text().starts_with("\xEF\xBB\xBF"); // a second byte order mark is lost
    require(bool(again) && (hasMark || cantFail(Vocabulary::parse(*again)).text() == parsed->text()));
  } else {
    require(!toString(parsed.takeError()).empty());
  }
  llvm::StringMap<int64_t> counts;
  for (int64_t line = 0; line < lines->count(); ++line)
    eachWord((*lines)[line], [&](llvm::StringRef word) { ++counts[word]; });
  Vocabulary vocabulary = Vocabulary::ofWords(counts, 0);
  require(cantFail(Vocabulary::parse(cantFail(TextLines::split("a", vocabulary.text())))).size() == vocabulary.size());
  HostTensor tokens = cantFail(vocabulary.encode(*lines));
  TextLines written = cantFail(TextLines::split("b.words", cantFail(vocabulary.decode(tokens))));
  require(cantFail(vocabulary.encode(written)).bytes == tokens.bytes);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  readAs("a.npy", text);
  readNpy(text);
  readText(text);
  if (size < 4096) // a long line beside many short ones is a large table
    readWords(text);
  return 0;
}
