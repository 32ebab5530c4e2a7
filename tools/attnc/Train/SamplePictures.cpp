#include "tools/attnc/Train/SamplePictures.h"
#include "tools/attnc/Tensors/Picture.h"
#include "tools/attnc/Train/SampleEntry.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace attnc {

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
    std::optional<Batch> batch = data.heldOutBatch({options.rows, shape.sequence}, 0);
    if (!batch)
      return createStringError("there are no held-out samples to draw pictures of; hold out more data by --held-out");
    inputs = inputsOfSample(entry, trainer.step(), batch->inputs);
  }
  auto results = trainer.run(*number, std::move(inputs), 0);
  if (!results)
    return results.takeError();
  for (auto [position, result] : enumerate(*results)) {
    const char *name = entry.tensors[entry.input_count + position].name;
    auto png = pngOf(result);
    if (!png)
      return createStringError(
          formatv("'{0}' returns '{1}', which is no picture: {2}", entry.name, name, toString(png.takeError())));
    pictures.push_back({name, std::move(*png)});
  }
  return pictures;
}

} // namespace attnc
