// Model tables (attn_model of attn/model.h), as objects contain them, for tests of the runtime.
#pragma once

#include "attn/model.h"

/// Returns the table of a model "m" for target "m", of this ABI version, without parameters, kernels and entry points.
inline attn_model emptyModel() {
  attn_model model = {};
  model.abi_version = ATTN_ABI_VERSION;
  model.name = model.target = "m";
  return model;
}

/// Returns the table of such a model with the `count` entry points at `entries`, which must outlive it.
inline attn_model modelOf(const attn_entry_info *entries, int64_t count) {
  attn_model model = emptyModel();
  model.entries = entries;
  model.entry_count = count;
  return model;
}
