//===- Picture.h - tensors as pictures: .png ----------------------------------------------------------------------===//
//
// A picture shows one or several images of a tensor with these dimensions, of which the first ones may be missing:
//
//   [rows, columns, height, width, channels]     a sheet with `rows` rows of `columns` images
//          [images, height, width, channels]     a sheet that is about as wide as high
//
// A last dimension of 1 or 3 in a tensor of at least three dimensions is the channels: grey, or red, green and blue.
// Other tensors have no channels, and their images are grey. 0 is black, 1 is full brightness, and numbers beyond are
// shown as 0 and 1. An image with fewer than 64 pixels on its longer side is enlarged by a whole factor.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Tensors/TensorFile.h"

namespace attnc {

/// Returns the content of a PNG file with the images of an f32 or boolean tensor. An error if the tensor has another
/// element type, fewer than two or too many dimensions, no elements, or a NaN, or if the picture has more than 2^26
/// pixels.
llvm::Expected<std::string> pngOf(const HostTensor &tensor);

} // namespace attnc
