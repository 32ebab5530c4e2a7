#include "benchmarks/device/PackedModel.h"
#include "benchmarks/device/DeviceCheck.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <stdexcept>

namespace attnc::device {

void require(attn_code code, const attn_status &status, const std::string &what) {
  if (code != ATTN_OK)
    throw std::runtime_error(what + ": " + status.message);
}

void PackedModel::Close::operator()(void *library) const { dlclose(library); }

PackedModel::PackedModel(const std::string &path, const std::string &symbol)
    : library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!library)
    throw std::runtime_error(dlerror());
  model = static_cast<const attn_model *>(dlsym(library.get(), symbol.c_str()));
  if (!model)
    throw std::runtime_error(path + ": it has no " + symbol);
  attn_status status = {};
  attn_pool *threads = nullptr;
  require(attn_pool_create(0, &threads, &status), status, path);
  pool.reset(threads);
  if (model->loaded_count > 0) {
    attn_weights *made = nullptr;
    require(attn_weights_initialise(model, packedSeed, attn_pool_executor(threads), &made, &status), status, path);
    weights.reset(made);
  }
  attn_cuda *opened = nullptr;
  require(attn_cuda_open(model, weights.get(), ATTN_ANY_DEVICE, &opened, &status), status, path);
  cuda.reset(opened);
}

int64_t PackedModel::entry(const std::string &name) const {
  int64_t number = attn_find_entry(model, name.c_str());
  if (number < 0)
    throw std::runtime_error(std::string(model->name) + " has no entry point " + name);
  return number;
}

TensorMemory::TensorMemory(const attn_tensor_info &info, const std::vector<int64_t> &dimensions) {
  tensor.dtype = info.dtype;
  tensor.rank = info.rank;
  for (int32_t d = 0; d < info.rank; ++d)
    tensor.shape[d] = attn_size(&info.shape[d], dimensions.data());
  bytes.reserve(16); // so that an empty tensor has an address
  bytes.assign(count() * attn_element_bytes(info.dtype), char(0xff));
  tensor.data = bytes.data();
}

void TensorMemory::draw(const DrawnInput &input) {
  auto fill = [&]<class T>(T *elements) {
    for (int64_t index = 0; index < count(); ++index)
      elements[index] = T(input.at(index));
  };
  switch (tensor.dtype) {
  case ATTN_F32:
    return fill(reinterpret_cast<float *>(bytes.data()));
  case ATTN_I32:
    return fill(reinterpret_cast<int32_t *>(bytes.data()));
  case ATTN_BOOL:
    return fill(bytes.data());
  default:
    throw std::runtime_error("an input of 16-bit elements that is no state");
  }
}

int64_t TensorMemory::count() const {
  int64_t count = 1;
  for (int32_t d = 0; d < tensor.rank; ++d)
    count *= tensor.shape[d];
  return count;
}

static double ofHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = exponent == 31  ? (fraction ? NAN : HUGE_VAL)
                     : exponent == 0 ? std::ldexp(fraction, -24)
                                     : std::ldexp(fraction + 1024, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

double TensorMemory::at(int64_t index) const {
  auto read = [&]<class T>(T value) {
    std::memcpy(&value, bytes.data() + index * int64_t(sizeof value), sizeof value);
    return value;
  };
  switch (tensor.dtype) {
  case ATTN_F32:
    return read(float());
  case ATTN_I32:
    return read(int32_t());
  case ATTN_BF16:
    return std::bit_cast<float>(uint32_t(read(uint16_t())) << 16);
  case ATTN_F16:
    return ofHalf(read(uint16_t()));
  default:
    return bytes[index];
  }
}

} // namespace attnc::device
