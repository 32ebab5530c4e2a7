#include "tools/attnc/Train/SamplePictures.h"
#include "tools/attnc/Call/EntryResults.h"
#include "tools/attnc/Call/InputValues.h"
#include "tools/attnc/Tensors/Picture.h"
#include "tools/attnc/Train/SampleEntry.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;

namespace attnc {

/// Replaces NaN by 0, so that a report can show the rest. Returns true if there was one.
static bool replaceNan(HostTensor &tensor) {
  bool hasNan = false;
  for (float &element : MutableArrayRef(tensor.floats(), tensor.count()))
    if (std::isnan(element)) {
      element = 0;
      hasNan = true;
    }
  return hasNan;
}

Expected<std::vector<SamplePicture>> drawPictures(const attn_model &model, Trainer &trainer, const TrainingData &data,
                                                  BatchShape shape, const PictureOptions &options) {
  std::vector<SamplePicture> pictures;
  if (options.entry.empty())
    return pictures;
  auto number =
      findSampleEntry(model, trainer.step(), options.entry, "export a function whose results are images from 0 to 1");
  if (!number)
    return number.takeError();
  const attn_entry_info &entry = model.entries[*number];
  std::vector<HostTensor> inputs;
  if (inputsBeforeKey(entry) > 0) {
    int64_t rows = leadingNumber(entry.tensors[0]).value_or(options.rows);
    std::optional<Batch> batch = data.heldOutBatch({rows, shape.sequence}, 0);
    if (!batch)
      return createStringError("there are no held-out samples to draw pictures of; hold out more data by --held-out");
    inputs = inputsOfSample(entry, trainer.step(), batch->inputs);
  }
  auto results = trainer.run(*number, std::move(inputs), 0);
  if (!results)
    return results.takeError();
  for (auto [position, result] : enumerate(*results)) {
    std::string name = resultsOf(entry)[position].name;
    bool hasNan = result.dtype == ATTN_F32 && replaceNan(result);
    auto png = pngOf(result);
    if (!png)
      return createStringError(
          formatv("'{0}' returns '{1}', which is no picture: {2}", entry.name, name, toString(png.takeError())));
    pictures.push_back({hasNan ? name + " (NaN is black)" : name, std::move(*png)});
  }
  return pictures;
}

} // namespace attnc
