#include "compiler/Emit/EmbeddedWeights.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include <fmt/format.h>

using namespace mlir;

namespace attnc {

std::string checkpointName(model::ParameterOp parameter, int64_t entry) {
  SmallVector<int64_t> indices(parameter.getCounts().size());
  for (size_t list = indices.size(); list-- > 0; entry /= parameter.getCounts()[list])
    indices[list] = entry % parameter.getCounts()[list];
  return parameter.getCheckpointName(indices);
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  return "[" + llvm::join(llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }), ", ") + "]";
}

/// The values of one tensor, checked against what the model declares.
static llvm::Expected<StringRef> tensorBytes(const llvm::json::Object &header, StringRef data, StringRef file,
                                             const std::string &name, RankedTensorType type) {
  auto fault = [&](const std::string &what) {
    return llvm::createStringError(fmt::format("{}: tensor {} {}", file.str(), name, what));
  };
  const llvm::json::Object *tensor = header.getObject(name);
  if (!tensor)
    return fault("is missing");
  std::string expected = type.getElementType().isF32() ? "F32" : "I32";
  std::string found = tensor->getString("dtype").value_or("nothing").str();
  if (found != expected)
    return fault(fmt::format("holds {}, expected {}", found, expected));
  SmallVector<int64_t> shape;
  if (const llvm::json::Array *sizes = tensor->getArray("shape"))
    for (const llvm::json::Value &size : *sizes)
      shape.push_back(size.getAsInteger().value_or(-1));
  if (type.getShape() != ArrayRef(shape))
    return fault(fmt::format("has shape {}, expected {}", shapeText(shape), shapeText(type.getShape())));
  const llvm::json::Array *offsets = tensor->getArray("data_offsets");
  int64_t begin = offsets && offsets->size() == 2 ? (*offsets)[0].getAsInteger().value_or(-1) : -1;
  int64_t end = offsets && offsets->size() == 2 ? (*offsets)[1].getAsInteger().value_or(-1) : -1;
  if (begin < 0 || end < begin || end > int64_t(data.size()) || end - begin != type.getNumElements() * 4)
    return fault("has data outside the file; it may be truncated");
  return data.slice(begin, end);
}

llvm::Expected<EmbeddedWeights> embeddedWeights(const ParameterTable &parameters, const llvm::MemoryBuffer &file) {
  StringRef bytes = file.getBuffer(), name = file.getBufferIdentifier();
  uint64_t length = bytes.size() < 8 ? 0 : llvm::support::endian::read64le(bytes.data());
  if (bytes.size() < 8 || length > bytes.size() - 8)
    return llvm::createStringError(name + ": is no .safetensors file, or is truncated");
  llvm::Expected<llvm::json::Value> header = llvm::json::parse(bytes.substr(8, length));
  if (!header || !header->getAsObject()) {
    llvm::consumeError(header.takeError());
    return llvm::createStringError(name + ": its header is no JSON object");
  }
  EmbeddedWeights weights;
  for (const LoadedParameter &parameter : parameters.loaded)
    for (int64_t entry = 0; entry < parameter.count; ++entry) {
      model::ParameterOp op = parameter.op;
      llvm::Expected<StringRef> values = tensorBytes(*header->getAsObject(), bytes.drop_front(8 + length), name,
                                                     checkpointName(op, entry), cast<RankedTensorType>(op.getType()));
      if (!values)
        return values.takeError();
      weights.push_back(*values);
    }
  return weights;
}

} // namespace attnc
