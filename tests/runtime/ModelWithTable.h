// A model with packed weights and values that are read as loaded, for tests of weights in files.
#pragma once

#include "attn/abi.h"
#include "tests/runtime/ModelRecord.h"
#include "tests/runtime/TemporaryWeights.h"
#include <array>
#include <vector>

/// A model with a list of matrices that kernels read only packed, at twice their values, and a table read as loaded.
class ModelWithTable {
public:
  /// A model of `layers` matrices and a table, with `elements` elements each.
  ModelWithTable(int64_t layers, int64_t elements) : layers(layers), elements(elements) {
    parameters[0] = {
        "w", "h.{0}.w", &this->elements, &this->layers, nullptr, 0.0, 1.0, ATTN_INIT_NORMAL, ATTN_F32, 1, 1, 0, 0, 1};
    parameters[1] = {"table", "table", &this->elements, nullptr, nullptr, 0.0, 1.0, ATTN_INIT_NORMAL, ATTN_F32,
                     1,       0,       layers,          0,       0};
    for (int64_t layer = 0; layer < layers; ++layer)
      packed.push_back({4 * elements, layer, "f32[n], doubled"});
    record = emptyModel();
    record.parameters = parameters.data();
    record.parameter_count = 2;
    record.loaded_count = layers + 1;
    record.packed_count = layers;
    record.packed = packed.data();
    record.prepare = prepare;
    made = this;
  }
  ModelWithTable(const ModelWithTable &) = delete;

  /// Returns element `index` of tensor `tensor` of the file.
  static float valueAt(int64_t tensor, int64_t index) { return float(1000 * tensor + index % 977); }

  std::vector<Entry> entries() const {
    std::vector<Entry> all;
    for (int64_t tensor = 0; tensor <= layers; ++tensor) {
      std::string bytes(4 * elements, '\0');
      for (int64_t i = 0; i < elements; ++i) {
        float value = valueAt(tensor, i);
        memcpy(&bytes[4 * i], &value, 4);
      }
      std::string name = tensor < layers ? "h." + std::to_string(tensor) + ".w" : "table";
      all.push_back({name, "F32", "[" + std::to_string(elements) + "]", std::move(bytes)});
    }
    return all;
  }

  attn_model record;
  std::array<attn_parameter_info, 2> parameters;
  std::vector<attn_packed_info> packed;

private:
  /// Packs each weight by a launch whose first buffer is the weight, as generated code does.
  static int32_t prepare(const attn_frame *frame) {
    for (int64_t layer = 0; layer < made->layers; ++layer) {
      void *buffers[] = {const_cast<void *>(frame->parameters[layer]),
                         const_cast<void *>(frame->parameters[made->layers + 1 + layer])};
      attn_kernel_args args = {buffers, nullptr, nullptr, nullptr};
      frame->executor->parallel_for(frame->executor->self, doubleAll, &args, 1, frame->arena, 0);
    }
    return ATTN_OK;
  }

  static void doubleAll(const attn_kernel_args *args, int64_t, void *) {
    for (int64_t i = 0; i < made->elements; ++i)
      static_cast<float *>(args->buffers[1])[i] = 2 * static_cast<const float *>(args->buffers[0])[i];
  }

  static inline const ModelWithTable *made;
  int64_t layers, elements;
};
