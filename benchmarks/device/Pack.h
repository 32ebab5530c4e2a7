//===- Pack.h - folder of models and expected results for a machine with a device ---------------------------------===//
//
// device-pack, on a machine without a device, fills a folder with all input of device-check (DeviceCheck.h), which runs
// on a machine with one:
//
//   models/NAME.so                    a model of --target cuda, linked
//   checks.json                       calls: a name, a library with the symbol of its table, an entry point, its
//                                     dimensions and the bounds of integer inputs, the kinds of its kernels, the file
//                                     of exact results, the limit of each result (as for `attnc run --check`)
//   checks/HASH.safetensors           the exact results of a call in f32, and its states after the call
//   cases.json                        the timed cases: benchmarks/device/cases.json, with library and symbol of each
//   packed.jsonl                      measurements of the packing, and the number of calls (Results.h)
//
// Inputs and parameters are not stored: both machines draw them from packedSeed (DeviceCheck.h).
//
// The format of the table benchmarks/device/cases.json:
//
//   copied_bytes   size of the copy whose rate is B
//   compile        title, model, entry, seconds: limit of the time from the model's text to PTX
//   measures       the timed cases, stored in bf16:
//     name         a unique name; title is the name on the page
//     model        a file below the root, with settings {name: value}, which determine all sizes
//     entry        an entry point without inputs: operands are parameters
//     kind         the formula of the work, by the settings. "attention": 4 heads d `pairs` operations; "decode": keys
//                  and values, 4 batch kv_heads n d bytes; "gemm": 2 n^3 operations
//     pairs        number of unmasked query-key pairs of a head; for "attention" only
//     launches     number of launches in a call of the entry point, each with the work of `kind`
//     unit         the reference rate: "C", cuBLAS; "B", copies; "flex", FlexAttention on the same case
//     least, goal  the required fraction of the reference rate, and the goal
//     peers        other implementations that peers.py times: "flash", "cudnn", "flex", "triton"
//   checks         the models that are compared with the oracle:
//     model        as above, with settings
//     precisions   a library for each: "f32", "tf32", "bf16", "f16"
//     sizes        sizes of dimensions by name, {name: size}; 19 by default
//     entries      the checked entry points; all by default. Training steps are omitted, and entry points whose integer
//                  results depend on the rounding of stored tensors
//     without      entry points that are not checked, e.g. for sums with more cancellation than the limit covers
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <string>

namespace attnc::device {

/// Fills `folder` from the table in the file `cases`, whose models are below `root`. If `only` is not empty, packs only
/// the checks of models whose path contains `only`, and the timed cases whose name contains it. Throws a std::exception
/// if nothing matches, if the table is not JSON, lacks a required key or has an unknown kind, unit, peer or precision,
/// or if compilation, interpretation or writing fails.
void pack(const std::string &cases, const std::string &root, const std::string &folder, const std::string &only = "");

} // namespace attnc::device
