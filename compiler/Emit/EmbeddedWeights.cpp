#include "compiler/Emit/EmbeddedWeights.h"
#include "attn/files.h"
#include "compiler/ElementTypes/ElementType.h"
#include "compiler/Emit/WeightsFiles.h"
#include "runtime/files/load.h"
#include "llvm/Support/Error.h"

using namespace mlir;

namespace attnc {

WeightsFile::~WeightsFile() { attn_weights_free(weights); }

llvm::Error WeightsFile::load(const Program &program, llvm::ArrayRef<std::string> paths, bool allowExtra) {
  llvm::Expected<WeightsFiles> files = WeightsFiles::open(paths);
  if (!files)
    return files.takeError();
  const ParameterTable &parameters = program.parameters;
  std::vector<std::string> texts; // names; reserved, so that pointers to them stay valid
  texts.reserve(2 * parameters.loaded.size());
  std::vector<attn_parameter_info> infos;
  for (const LoadedParameter &each : parameters.loaded) {
    model::ParameterOp op = each.op;
    auto type = cast<RankedTensorType>(op.getType());
    attn_parameter_info info = {};
    info.name = texts.emplace_back(op.getSymName()).c_str();
    info.checkpoint = texts.emplace_back(op.getCheckpoint()).c_str();
    info.shape = type.getShape().data();
    info.counts = op.getCounts().data();
    info.dtype = *elementTypeOf(type.getElementType());
    info.rank = static_cast<int32_t>(type.getRank());
    info.list_rank = static_cast<int32_t>(op.getCounts().size());
    info.first = each.first;
    info.state = op.getState();
    infos.push_back(info);
  }
  attn_model model = {};
  model.abi_version = ATTN_ABI_VERSION;
  model.name = program.prefix.c_str();
  model.parameters = infos.data();
  model.parameter_count = static_cast<int64_t>(infos.size());
  model.loaded_count = parameters.loadedCount;
  attn_status status;
  int32_t flags = allowExtra ? ATTN_ALLOW_EXTRA : 0;
  if (attn_weights_load_open(&model, files->name().c_str(), files->get(), flags, nullptr, &weights, &status) != ATTN_OK)
    return llvm::createStringError(StringRef(status.message));
  const void *const *table = attn_weights_table(weights);
  for (const LoadedParameter &each : parameters.loaded) {
    model::ParameterOp op = each.op;
    auto type = cast<RankedTensorType>(op.getType());
    size_t size = type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    for (int64_t position = each.first; position < each.first + each.count; ++position)
      bytes.emplace_back(static_cast<const char *>(table[position]), op.getState() ? 0 : size);
  }
  return llvm::Error::success();
}

} // namespace attnc
