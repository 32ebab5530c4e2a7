// Tests pictures of tensors by decoding them.

#include "tools/attnc/Tensors/Picture.h"
#include <gtest/gtest.h>
#include <limits>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#include <stb/stb_image.h>

using namespace attnc;

namespace {

HostTensor reals(std::vector<int64_t> shape, std::vector<float> values = {}) {
  HostTensor tensor(ATTN_F32, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.floats());
  return tensor;
}

struct Decoded {
  int width = 0, height = 0, channels = 0;
  std::vector<int> pixels; ///< [height, width, channels]
  int at(int y, int x, int c = 0) const { return pixels[size_t((y * width + x) * channels + c)]; }
};

Decoded decoded(const HostTensor &tensor) {
  auto png = pngOf(tensor);
  EXPECT_TRUE(bool(png)) << llvm::toString(png.takeError());
  Decoded result;
  auto *pixels = stbi_load_from_memory(reinterpret_cast<const stbi_uc *>(png->data()), int(png->size()), &result.width,
                                       &result.height, &result.channels, 0);
  EXPECT_NE(pixels, nullptr);
  result.pixels.assign(pixels, pixels + result.width * result.height * result.channels);
  stbi_image_free(pixels);
  return result;
}

std::string errorOf(const HostTensor &tensor) { return llvm::toString(pngOf(tensor).takeError()); }

TEST(Picture, ABrightImageIsEnlarged) {
  Decoded picture = decoded(reals({2, 3}, {0, 0.5, 1, -7, 2, 0.2f}));
  EXPECT_EQ(std::tuple(picture.height, picture.width, picture.channels), std::tuple(2 * 21, 3 * 21, 1));
  EXPECT_EQ(picture.at(0, 0), 0);
  EXPECT_EQ(picture.at(20, 21), 128);
  EXPECT_EQ(picture.at(20, 62), 255);
  EXPECT_EQ(picture.at(21, 20), 0) << "below 0";
  EXPECT_EQ(picture.at(41, 41), 255) << "above 1";
  EXPECT_EQ(picture.at(41, 62), 51);
}

TEST(Picture, ALargeImageKeepsItsPixels) {
  HostTensor tensor = reals({100, 80, 3});
  tensor.floats()[(99 * 80 + 79) * 3 + 1] = 1;
  Decoded picture = decoded(tensor);
  EXPECT_EQ(std::tuple(picture.height, picture.width, picture.channels), std::tuple(100, 80, 3));
  EXPECT_EQ(picture.at(99, 79, 0), 0);
  EXPECT_EQ(picture.at(99, 79, 1), 255);
}

/// Five images in two rows of three, with a border between them and in the place of the sixth.
TEST(Picture, SeveralImagesAreASheet) {
  HostTensor tensor = reals({5, 64, 64});
  std::fill_n(tensor.floats() + 4 * 64 * 64, 64 * 64, 1.0f);
  Decoded picture = decoded(tensor);
  EXPECT_EQ(std::tuple(picture.height, picture.width), std::tuple(2 * 64 + 2, 3 * 64 + 4));
  EXPECT_EQ(picture.at(0, 0), 0);
  EXPECT_EQ(picture.at(0, 64), 200);
  EXPECT_EQ(picture.at(66, 66), 255);
  EXPECT_EQ(picture.at(129, 132), 200);
}

TEST(Picture, RowsAndColumnsMayBeGiven) {
  HostTensor tensor(ATTN_BOOL, {2, 4, 64, 32, 1});
  tensor.set(7 * 64 * 32, 1);
  Decoded picture = decoded(tensor);
  EXPECT_EQ(std::tuple(picture.height, picture.width, picture.channels), std::tuple(130, 4 * 34 - 2, 1));
  EXPECT_EQ(picture.at(66, 3 * 34), 255);
  EXPECT_EQ(picture.at(66, 3 * 34 + 1), 0);
}

TEST(Picture, OtherTensorsAreRefused) {
  std::string shape =
      "a picture needs a tensor [rows, columns, height, width, channels], in which the first dimensions "
      "and channels (1 or 3) may be missing, but the shape is ";
  EXPECT_EQ(errorOf(reals({4})), shape + "[4]");
  EXPECT_EQ(errorOf(reals({2, 0})), shape + "[2, 0]");
  EXPECT_EQ(errorOf(reals({1, 1, 2, 2, 2})), shape + "[1, 1, 2, 2, 2]");
  EXPECT_EQ(errorOf(HostTensor(ATTN_I32, {2, 2})), "a picture needs a tensor of f32 or bool, from 0 (black) to 1");
  EXPECT_EQ(errorOf(reals({2, 2}, {0, 0, 0, std::numeric_limits<float>::quiet_NaN()})),
            "element 3 in row-major order is NaN, which has no colour");
  EXPECT_EQ(errorOf(HostTensor(ATTN_BOOL, {1 << 13, (1 << 13) + 1})),
            "a picture of 8193 x 8192 pixels has more than 2^26 pixels");
}

} // namespace
