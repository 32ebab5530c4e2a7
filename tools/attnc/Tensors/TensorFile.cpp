#include "tools/attnc/Tensors/TensorFile.h"
#include "compiler/Diagnostics/InputFile.h"
#include "compiler/Diagnostics/Printable.h"
#include "compiler/ElementTypes/ElementType.h"
#include "compiler/Emit/OutputFiles.h"
#include "tools/attnc/Tensors/Picture.h"
#include "tools/attnc/Tensors/TextFile.h"
#include "tools/attnc/Tensors/Vocabulary.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

using namespace llvm;

namespace attnc {

static int64_t product(ArrayRef<int64_t> shape) {
  int64_t result = 1;
  for (int64_t size : shape)
    result *= size;
  return result;
}

HostTensor::HostTensor(attn_dtype dtype, std::vector<int64_t> shape)
    : dtype(dtype), shape(std::move(shape)), bytes(product(this->shape) * attn_element_bytes(dtype)) {}

Expected<int64_t> HostTensor::bytesFor(StringRef name, attn_dtype dtype, ArrayRef<int64_t> shape) {
  int64_t bytes = attn_element_bytes(dtype);
  bool fits = true;
  for (auto [number, size] : enumerate(shape)) {
    if (size < 0)
      return createStringError(formatv(
          "'{0}': its size along dimension {1} is {2} for these dimensions, expected at least 0", name, number, size));
    fits &= !__builtin_mul_overflow(bytes, size, &bytes);
  }
  if (fits)
    return bytes;
  return createStringError(formatv("'{0}': its size is beyond 64 bits", name));
}

Error HostTensor::checkRoom(StringRef name, int64_t bytes) {
  // A failing reservation returns null, whereas a failing vector would end the program. Volatile, so that it is not
  // optimised away.
  void *volatile probe = std::malloc(bytes + 1);
  if (!probe)
    return createStringError(formatv("'{0}': no memory for {1} bytes", name, bytes));
  std::free(probe);
  return Error::success();
}

Expected<HostTensor> HostTensor::create(StringRef name, attn_dtype dtype, std::vector<int64_t> shape) {
  auto bytes = bytesFor(name, dtype, shape);
  if (!bytes)
    return bytes.takeError();
  if (Error error = checkRoom(name, *bytes))
    return std::move(error);
  return HostTensor(dtype, std::move(shape));
}

int64_t HostTensor::count() const { return product(shape); }

double HostTensor::at(int64_t index) const {
  switch (dtype) {
  case ATTN_F32:
    return floats()[index];
  case ATTN_I32:
    return integers()[index];
  case ATTN_BOOL:
    return bytes[index] != 0;
  case ATTN_BF16:
  case ATTN_F16: {
    uint16_t word;
    std::memcpy(&word, &bytes[2 * index], sizeof word);
    return numberOfBits(*narrowFormat(dtype), word);
  }
  case ATTN_PACKED_WEIGHT: // never the type of an argument
    break;
  }
  return 0;
}

void HostTensor::set(int64_t index, double value) {
  if (dtype == ATTN_F32) {
    floats()[index] = static_cast<float>(value);
  } else if (dtype == ATTN_I32) {
    integers()[index] = static_cast<int32_t>(value);
  } else if (dtype == ATTN_BOOL) {
    bytes[index] = value != 0;
  } else {
    auto word = static_cast<uint16_t>(narrowBits(*narrowFormat(dtype), value));
    std::memcpy(&bytes[2 * index], &word, sizeof word);
  }
}

HostTensor HostTensor::convertedTo(attn_dtype other) const {
  if (other == dtype)
    return *this;
  HostTensor result(other, shape);
  for (int64_t i = 0, n = count(); i < n; ++i)
    result.set(i, at(i));
  return result;
}

Expected<HostTensor> HostTensor::narrowedTo(attn_dtype other, StringRef place) const {
  HostTensor result = convertedTo(other);
  for (int64_t i = 0, n = count(); i < n; ++i)
    if (std::isfinite(at(i)) && !std::isfinite(result.at(i)))
      return createStringError(formatv("{0}: element {1} is {2}, which {3} can't represent", place, i,
                                       fmt::format("{:.9g}", at(i)), elementTypeName(other)));
  return result;
}

attn_tensor HostTensor::view() {
  attn_tensor result = {bytes.data(), {}, dtype, static_cast<int32_t>(shape.size())};
  std::copy(shape.begin(), shape.end(), result.shape);
  return result;
}

//===-------------------------------------------- conversion --------------------------------------------------===//

/// An element type in a file.
struct Stored {
  enum Kind { Float, Integer, Unsigned, Bool, Brain } kind;
  int size;
};

template <class T> static T readAs(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

static double realAt(Stored stored, const char *from) {
  if (stored.size == 2) {
    attn_dtype narrow = stored.kind == Stored::Brain ? ATTN_BF16 : ATTN_F16;
    return numberOfBits(*narrowFormat(narrow), readAs<uint16_t>(from));
  }
  return stored.size == 8 ? readAs<double>(from) : readAs<float>(from);
}

/// Integers beyond 64 signed bits saturate; they are then rejected like all integers beyond 32 bits.
static int64_t integerAt(Stored stored, const char *from) {
  bool isSigned = stored.kind == Stored::Integer;
  switch (stored.size) {
  case 1:
    return isSigned ? readAs<int8_t>(from) : readAs<uint8_t>(from);
  case 2:
    return isSigned ? readAs<int16_t>(from) : readAs<uint16_t>(from);
  case 4:
    return isSigned ? int64_t(readAs<int32_t>(from)) : int64_t(readAs<uint32_t>(from));
  default:
    return isSigned ? readAs<int64_t>(from)
                    : int64_t(std::min<uint64_t>(readAs<uint64_t>(from), std::numeric_limits<int64_t>::max()));
  }
}

/// Reads `count` bytes at offset `at` of the stored elements.
using ReadElements = function_ref<Error(uint64_t at, uint64_t count, char *to)>;

static attn_dtype elementsFor(Stored stored) {
  bool real = stored.kind == Stored::Float || stored.kind == Stored::Brain;
  return real ? ATTN_F32 : stored.kind == Stored::Bool ? ATTN_BOOL : ATTN_I32;
}

/// Sets element `index` of the tensor to the element that is stored at `from`.
static Error convertElement(StringRef place, Stored stored, const char *from, HostTensor &tensor, int64_t index) {
  if (tensor.dtype == ATTN_F32) {
    double value = realAt(stored, from);
    if (std::isfinite(value) && !std::isfinite(static_cast<float>(value)))
      return createStringError(formatv("{0}: element {1} is {2}, which an f32 can't represent", place, index,
                                       fmt::format("{:.17g}", value)));
    tensor.floats()[index] = static_cast<float>(value);
  } else if (tensor.dtype == ATTN_BOOL) {
    tensor.bytes[index] = *from != 0;
  } else {
    int64_t value = integerAt(stored, from);
    if (value != static_cast<int32_t>(value))
      return createStringError(formatv("{0}: element {1} is {2}, which an i32 can't represent", place, index, value));
    tensor.integers()[index] = static_cast<int32_t>(value);
  }
  return Error::success();
}

/// Converts in pieces, so that there is no second copy of a large tensor.
static Expected<HostTensor> convert(StringRef place, Stored stored, std::vector<int64_t> shape, ReadElements read) {
  constexpr int64_t mostOfPiece = 1 << 16; // elements of a piece
  auto result = HostTensor::create(place, elementsFor(stored), std::move(shape));
  if (!result)
    return result.takeError();
  int64_t count = result->count();
  std::vector<char> piece(std::min(count, mostOfPiece) * stored.size);
  for (int64_t first = 0; first < count; first += mostOfPiece) {
    int64_t elements = std::min(mostOfPiece, count - first);
    if (Error error = read(uint64_t(first) * stored.size, uint64_t(elements) * stored.size, piece.data()))
      return std::move(error);
    for (int64_t i = 0; i < elements; ++i)
      if (Error error = convertElement(place, stored, &piece[i * stored.size], *result, first + i))
        return std::move(error);
  }
  return result;
}

//===-------------------------------------------- .npy --------------------------------------------------------===//

/// The value after `'key':` in the header, the literal of a Python dictionary.
static StringRef valueOf(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "':").str());
  return at == StringRef::npos ? StringRef() : header.substr(at + key.size() + 3).ltrim();
}

static Expected<Stored> storedOf(StringRef place, StringRef descr) {
  StringRef written = descr.take_until([](char c) { return c == ','; });
  StringRef text = descr.consume_front("'") ? descr.take_until([](char c) { return c == '\''; }) : StringRef();
  bool bigEndian = text.consume_front(">");
  if (!bigEndian && !text.consume_front("<") && !text.consume_front("|"))
    text.consume_front("=");
  Stored stored = {Stored::Float, 0};
  StringRef kinds = "fiub";
  size_t kind = text.empty() ? StringRef::npos : kinds.find(text[0]);
  bool known = kind != StringRef::npos && !text.drop_front().getAsInteger(10, stored.size) &&
               (stored.size == 1 || stored.size == 2 || stored.size == 4 || stored.size == 8) &&
               (kind != 0 || stored.size > 1) && (kind != 3 || stored.size == 1);
  if (!known || (bigEndian && stored.size > 1))
    return createStringError(formatv("{0}: elements of type {1}, expected little-endian floats, integers or booleans",
                                     place, printable(written)));
  stored.kind = static_cast<Stored::Kind>(kind);
  return stored;
}

static Expected<std::vector<int64_t>> shapeOf(StringRef place, StringRef text) {
  std::vector<int64_t> shape;
  if (!text.consume_front("("))
    return createStringError(formatv("{0}: the header has no shape", place));
  SmallVector<StringRef> sizes;
  text.take_until([](char c) { return c == ')'; }).split(sizes, ',', -1, /*KeepEmpty=*/false);
  for (StringRef size : sizes) {
    if (size.trim().empty())
      continue;
    int64_t value;
    if (size.trim().getAsInteger(10, value) || value < 0)
      return createStringError(formatv("{0}: the header's shape is corrupt", place));
    shape.push_back(value);
  }
  if (shape.size() > ATTN_MAX_RANK)
    return createStringError(formatv("{0}: {1} dimensions, expected at most {2}", place, shape.size(), ATTN_MAX_RANK));
  return shape;
}

static Expected<HostTensor> readNpy(InputFile &file) {
  constexpr uint64_t mostHeaderBytes = 1 << 20;
  const std::string &path = file.path();
  auto corrupt = [&](const Twine &what) { return createStringError(path + ": not a .npy file: " + what); };
  auto unreadable = [&] { return createStringError(formatv("{0}: can't be read: {1}", path, file.problem())); };
  char start[12] = {};
  if (file.size() >= sizeof start && !file.read(0, sizeof start, start))
    return unreadable();
  if (!StringRef(start, sizeof start).starts_with("\x93NUMPY"))
    return corrupt("it does not begin with \\x93NUMPY");
  bool wide = start[6] >= 2;
  uint64_t length = wide ? readAs<uint32_t>(start + 8) : readAs<uint16_t>(start + 8), begin = wide ? 12 : 10;
  if (length > file.size() - begin)
    return corrupt("its header is truncated");
  if (length > mostHeaderBytes)
    return corrupt("its header would take " + Twine(length) + " bytes");
  std::string header(length, '\0');
  if (!file.read(begin, length, header.data()))
    return unreadable();
  auto stored = storedOf(path, valueOf(header, "descr"));
  if (!stored)
    return stored.takeError();
  if (!valueOf(header, "fortran_order").starts_with("False"))
    return createStringError(formatv("{0}: stored in Fortran order, expected C order", path));
  auto shape = shapeOf(path, valueOf(header, "shape"));
  if (!shape)
    return shape.takeError();
  uint64_t bytes = stored->size;
  for (int64_t size : *shape)
    if (__builtin_mul_overflow(bytes, uint64_t(size), &bytes))
      return corrupt("its shape is beyond 64 bits");
  uint64_t values = begin + length;
  if (bytes != file.size() - values)
    return createStringError(formatv("{0}: {1} bytes of elements, expected {2}", path, file.size() - values, bytes));
  return convert(path, *stored, std::move(*shape), [&](uint64_t at, uint64_t count, char *to) -> Error {
    return file.read(values + at, count, to) ? Error::success() : unreadable();
  });
}

//===-------------------------------------------- .safetensors ------------------------------------------------===//

static Stored storedOf(const attn_file_tensor &tensor) {
  static const Stored kinds[] = {
      {Stored::Bool, 1},    {Stored::Unsigned, 1}, {Stored::Integer, 1}, {Stored::Integer, 2},  {Stored::Unsigned, 2},
      {Stored::Float, 2},   {Stored::Brain, 2},    {Stored::Integer, 4}, {Stored::Unsigned, 4}, {Stored::Float, 4},
      {Stored::Integer, 8}, {Stored::Unsigned, 8}, {Stored::Float, 8}};
  static_assert(std::size(kinds) == ATTN_FILE_F64 + 1, "a row for each attn_file_dtype");
  return kinds[tensor.dtype];
}

attn_dtype convertedType(const attn_file_tensor &tensor) { return elementsFor(storedOf(tensor)); }

Expected<HostTensor> readTensor(const std::string &path, const attn_safetensors *file, const attn_file_tensor &tensor) {
  return convert(path + ":" + printable(tensor.name), storedOf(tensor),
                 std::vector<int64_t>(tensor.shape, tensor.shape + tensor.rank),
                 [&](uint64_t at, uint64_t bytes, char *to) -> Error {
                   attn_status status;
                   if (attn_safetensors_read(file, &tensor, at, bytes, to, &status) == ATTN_OK)
                     return Error::success();
                   return createStringError(StringRef(status.message));
                 });
}

static Expected<HostTensor> readSafetensors(const std::string &path, StringRef name) {
  attn_safetensors *file;
  attn_status status;
  if (attn_safetensors_open(path.c_str(), &file, &status) != ATTN_OK)
    return createStringError(StringRef(status.message));
  scope_exit close([&] { attn_safetensors_close(file); });
  int64_t count = attn_safetensors_count(file);
  const attn_file_tensor *tensor =
      name.empty() && count == 1 ? attn_safetensors_at(file, 0) : attn_safetensors_find(file, name.str().c_str());
  if (!tensor) {
    std::string names;
    for (int64_t i = 0; i < std::min<int64_t>(count, 8); ++i)
      names += (i ? ", " : "") + printable(attn_safetensors_at(file, i)->name);
    return createStringError(
        formatv("{0}: {1}; it has {2}{3}", path,
                name.empty() ? "name the tensor, as file:name" : ("no tensor '" + name + "'").str(), names,
                count > 8 ? ", ..." : ""));
  }
  return readTensor(path, file, *tensor);
}

static Expected<HostTensor> readWords(InputFile &file, const Vocabulary *vocabulary) {
  if (!vocabulary)
    return createStringError(formatv("{0}: can't be read without a vocabulary", file.path()));
  auto lines = TextLines::read(file);
  if (!lines)
    return lines.takeError();
  return vocabulary->encode(*lines);
}

Expected<HostTensor> readTensor(InputFile &file, const Vocabulary *vocabulary) {
  if (!file.isOpen())
    return createStringError(formatv("{0}: can't be read: {1}", file.path(), file.problem()));
  if (isWordFile(file.path()) || isLabelFile(file.path()))
    return readWords(file, vocabulary);
  return isText(file.path()) ? readLines(file) : readNpy(file);
}

Expected<HostTensor> readTensor(const std::string &place, const Vocabulary *vocabulary) {
  size_t suffix = place.find(".safetensors");
  if (suffix != std::string::npos) {
    size_t end = suffix + strlen(".safetensors");
    if (end == place.size() || place[end] == ':')
      return readSafetensors(place.substr(0, end), StringRef(place).substr(std::min(end + 1, place.size())));
  }
  InputFile file(place);
  return readTensor(file, vocabulary);
}

//===-------------------------------------------- writing -----------------------------------------------------===//

static void writeNpy(raw_ostream &out, const HostTensor &tensor) {
  if (tensor.dtype == ATTN_BF16) // NumPy has no such type
    return writeNpy(out, tensor.convertedTo(ATTN_F32));
  std::string header = "{'descr': '" +
                       std::string(tensor.dtype == ATTN_F32   ? "<f4"
                                   : tensor.dtype == ATTN_F16 ? "<f2"
                                   : tensor.dtype == ATTN_I32 ? "<i4"
                                                              : "|b1") +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.shape)
    header += std::to_string(size) + ",";
  header += "), }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  uint16_t length = header.size();
  out << StringRef("\x93NUMPY\x01\x00", 8) << StringRef(reinterpret_cast<char *>(&length), 2) << header;
  out.write(tensor.bytes.data(), tensor.bytes.size());
}

static void writeSafetensors(raw_ostream &out, const std::vector<std::pair<std::string, HostTensor>> &tensors) {
  std::string header;
  raw_string_ostream text(header);
  json::OStream json(text);
  json.object([&] {
    uint64_t at = 0;
    for (const auto &[name, tensor] : tensors) {
      json.attributeObject(name, [&] {
        json.attribute("dtype", elementTypeInSafetensors(tensor.dtype));
        json.attributeArray("shape", [&] {
          for (int64_t size : tensor.shape)
            json.value(size);
        });
        json.attributeArray("data_offsets", [&] { json.value(at), json.value(at + tensor.bytes.size()); });
      });
      at += tensor.bytes.size();
    }
  });
  header.resize((header.size() + 7) / 8 * 8, ' ');
  uint64_t length = header.size();
  out << StringRef(reinterpret_cast<char *>(&length), 8) << header;
  for (const auto &[name, tensor] : tensors)
    out.write(tensor.bytes.data(), tensor.bytes.size());
}

/// The content of a file with one tensor.
static Expected<std::string> contentOf(StringRef path, const HostTensor &tensor, const Vocabulary *vocabulary) {
  if (isText(path))
    return linesOf(tensor);
  if (path.ends_with(".png"))
    return pngOf(tensor);
  if (!path.ends_with(".npy"))
    return vocabulary ? vocabulary->decode(tensor) : createStringError("can't be written without a vocabulary");
  std::string bytes;
  raw_string_ostream out(bytes);
  writeNpy(out, tensor);
  return bytes;
}

Error writeTensors(const std::string &path, const std::vector<std::pair<std::string, HostTensor>> &tensors,
                   const Vocabulary *vocabulary) {
  StringSet<> names;
  for (const auto &[name, tensor] : tensors)
    if (!names.insert(name).second)
      return createStringError(formatv("{0}: not written: two tensors have the name '{1}'", path, printable(name)));
  StringRef suffix = sys::path::extension(path);
  bool isSafetensors = suffix == ".safetensors";
  if (isSafetensors && names.contains("__metadata__"))
    return createStringError(
        formatv("{0}: not written: a .safetensors file cannot have a tensor with the name '__metadata__'", path));
  if (!isSafetensors && !is_contained({".npy", ".png", ".txt", ".words", ".labels"}, suffix))
    return createStringError(
        formatv("{0}: expected a name that ends in .npy, .png, .txt, .words, .labels or .safetensors", path));
  if (!isSafetensors && tensors.size() != 1)
    return createStringError(formatv("{0}: a {1} file has room for one tensor, but there are {2}; use .safetensors",
                                     path, suffix, tensors.size()));
  std::string bytes;
  if (isSafetensors) {
    raw_string_ostream out(bytes);
    writeSafetensors(out, tensors);
  } else {
    auto content = contentOf(path, tensors.front().second, vocabulary);
    if (!content)
      return createStringError(formatv("{0}: {1}", path, toString(content.takeError())));
    bytes = std::move(*content);
  }
  return OutputFiles::replace(path, bytes);
}

} // namespace attnc
