#include "tools/attnc/Tensors/Picture.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb/stb_image_write.h>

using namespace llvm;

namespace attnc {

namespace {

constexpr int64_t visibleSide = 64, border = 2, mostPixels = int64_t(1) << 26;
constexpr unsigned char background = 200;

/// The places of the images of a tensor in a picture.
struct Sheet {
  int64_t rows = 1, columns = 1, height = 0, width = 0, channels = 1;
  int64_t images = 0; ///< at most rows * columns
  int64_t zoom = 1;   ///< pixels of the picture for each pixel of an image, in both directions

  int64_t pictureHeight() const { return rows * (height * zoom + border) - border; }
  int64_t pictureWidth() const { return columns * (width * zoom + border) - border; }
};

} // namespace

static Error wrongShape(const HostTensor &tensor) {
  return createStringError(
      formatv("a picture needs a tensor [rows, columns, height, width, channels], in which the first "
              "dimensions and channels (1 or 3) may be missing, but the shape is [{0:$[, ]}]",
              make_range(tensor.shape.begin(), tensor.shape.end())));
}

static Expected<Sheet> sheetOf(const HostTensor &tensor) {
  std::vector<int64_t> shape = tensor.shape;
  Sheet sheet;
  if (shape.size() >= 3 && (shape.back() == 1 || shape.back() == 3)) {
    sheet.channels = shape.back();
    shape.pop_back();
  }
  if (shape.size() < 2 || shape.size() > 4 || tensor.count() == 0)
    return wrongShape(tensor);
  sheet.width = shape.back();
  sheet.height = shape[shape.size() - 2];
  sheet.images = tensor.count() / (sheet.width * sheet.height * sheet.channels);
  sheet.columns = shape.size() == 4 ? shape[1] : int64_t(std::ceil(std::sqrt(double(sheet.images))));
  sheet.rows = (sheet.images + sheet.columns - 1) / sheet.columns;
  sheet.zoom = std::max<int64_t>(visibleSide / std::max(sheet.width, sheet.height), 1);
  if (double(sheet.pictureHeight()) * double(sheet.pictureWidth()) > double(mostPixels))
    return createStringError(formatv("a picture of {0} x {1} pixels has more than 2^26 pixels", sheet.pictureWidth(),
                                     sheet.pictureHeight()));
  return sheet;
}

/// Draws image `number` of the tensor into the picture.
static void draw(const HostTensor &tensor, const Sheet &sheet, int64_t number, std::vector<unsigned char> &picture) {
  int64_t top = number / sheet.columns * (sheet.height * sheet.zoom + border);
  int64_t left = number % sheet.columns * (sheet.width * sheet.zoom + border);
  for (int64_t y = 0; y < sheet.height * sheet.zoom; ++y)
    for (int64_t x = 0; x < sheet.width * sheet.zoom; ++x)
      for (int64_t c = 0; c < sheet.channels; ++c) {
        int64_t pixel = (number * sheet.height + y / sheet.zoom) * sheet.width + x / sheet.zoom;
        double value = std::clamp(tensor.at(pixel * sheet.channels + c), 0.0, 1.0);
        picture[size_t(((top + y) * sheet.pictureWidth() + left + x) * sheet.channels + c)] =
            static_cast<unsigned char>(std::lround(255 * value));
      }
}

static void append(void *bytes, void *data, int size) {
  static_cast<std::string *>(bytes)->append(static_cast<const char *>(data), size_t(size));
}

Expected<std::string> pngOf(const HostTensor &tensor) {
  if (tensor.dtype != ATTN_F32 && tensor.dtype != ATTN_BOOL)
    return createStringError("a picture needs a tensor of f32 or bool, from 0 (black) to 1");
  auto sheet = sheetOf(tensor);
  if (!sheet)
    return sheet.takeError();
  for (int64_t each = 0; each < tensor.count(); ++each)
    if (std::isnan(tensor.at(each)))
      return createStringError(formatv("element {0} in row-major order is NaN, which has no colour", each));
  std::vector<unsigned char> picture(size_t(sheet->pictureHeight() * sheet->pictureWidth() * sheet->channels),
                                     background);
  for (int64_t number = 0; number < sheet->images; ++number)
    draw(tensor, *sheet, number, picture);
  std::string bytes;
  int width = int(sheet->pictureWidth()), channels = int(sheet->channels);
  if (!stbi_write_png_to_func(append, &bytes, width, int(sheet->pictureHeight()), channels, picture.data(),
                              width * channels))
    return createStringError("there is too little memory for the picture");
  return bytes;
}

} // namespace attnc
