// Fuzzes .npy and .txt files: arbitrary bytes give a message, or a tensor of the declared size.
#include "tools/attnc/Tensors/TensorFile.h"
#include "tools/attnc/Tensors/TextFile.h"
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

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  readAs("a.npy", text);
  readNpy(text);
  readText(text);
  return 0;
}
