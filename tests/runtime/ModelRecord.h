// Records of models, as in objects, for tests of the runtime.
#pragma once

#include "attn/model.h"

/// Returns a model "m" of this version, without parameters and entry points.
inline attn_model emptyModel() {
  attn_model model = {};
  model.abi_version = ATTN_ABI_VERSION;
  model.name = model.target = "m";
  return model;
}

/// Returns a model with these entry points.
inline attn_model modelOf(const attn_entry_info *entries, int64_t count) {
  attn_model model = emptyModel();
  model.entries = entries;
  model.entry_count = count;
  return model;
}
