//===- SamplePictures.h - pictures of held-out samples for the report ---------------------------------------------===//
//
// The pictures come from an entry point whose results are images (Tensors/Picture.h), such as images with the boxes
// that a detector found, or images that a generator drew.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Data/TrainingData.h"
#include "tools/attnc/Train/Trainer.h"

namespace attnc {

/// A result of the entry point as a PNG file.
struct SamplePicture {
  std::string name; ///< of the result, with a note if the result has NaN, which are drawn as 0
  std::string png;
};

struct PictureOptions {
  std::string entry; ///< entry point with the images; empty: no pictures
  int64_t rows = 12; ///< number of held-out samples, at least 1; not used if the entry point has a constant number
};

/// Runs the entry point of `options` with the trainer's weights on the first held-out samples, or, if it has no inputs
/// but the key of random draws, on none. Returns a picture of each result; none without an entry point. Requires that
/// the weights are packed (Trainer::repackWeights). An error if the entry point does not exist or has an input that the
/// training step does not have, if there are no held-out samples, if the call fails, or if a result is no picture
/// (pngOf).
llvm::Expected<std::vector<SamplePicture>> drawPictures(const attn_model &model, Trainer &trainer,
                                                        const TrainingData &data, BatchShape shape,
                                                        const PictureOptions &options);

} // namespace attnc
