//===- Pack.h - what is carried to a machine with a device ------------------------------------------------------===//
//
// A folder with all that device-check needs:
//
//   models/NAME.so                    a model of --target cuda, linked
//   checks.json                       calls: a library and its entry point, its dimensions and the bounds of integer
//                                     inputs, the kinds of its kernels, the limit of each result (c u sqrt(K), as
//                                     `attnc run --check` has it)
//   checks/HASH.safetensors           a call's exact results in f32, and its states after the call
//   cases.json                        what is timed: benchmarks/device/cases.json, with the libraries
//   packed.jsonl                      what was measured while packing, and the number of calls (Results.h)
//
// Inputs and parameters are not stored: packedSeed (DeviceCheck.h) says them on both machines.
//
// The table of what is packed, benchmarks/device/cases.json:
//
//   copied_bytes   of the copy whose rate is B
//   compile        title, model, entry, seconds: from the model's text to PTX, at most
//   measures       a list of what is timed, stored in bf16:
//     name         its own; title is what the page says
//     model        a file below the root, with settings {name: value}, which say all sizes
//     entry        an entry point without inputs: operands are parameters
//     kind         what its work is, by its settings. "attention": 4 heads d `pairs` operations; "decode": the keys and
//                  values, 4 batch kv_heads n d bytes; "gemm": 2 n^3 operations
//     pairs        of a query and a key that it sees, of a head; of "attention" alone
//     launches     that a call of the entry point does, of `kind`'s work each
//     unit         what a share is of: "C", cuBLAS's rate; "B", that of copies; "flex", FlexAttention's on the case
//     least, goal  the share that is enough, and the one that is aimed at
//     peers        who else is timed by peers.py: "flash", "cudnn", "flex", "triton"
//   checks         a list of models that are compared with the oracle:
//     model        as above, with settings
//     precisions   a library for each: "f32", "tf32", "bf16", "f16"
//     sizes        of dimensions by name, {name: size}; 19 where none is given
//     entries      entry points, where not all are meant
//     without      those that are left out, such as have sums that cancel by more than a limit of rounding covers
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <string>

namespace attnc::device {

/// Fills `folder` by the table in file `cases`, whose models are below `root`; of the checks only those of models whose
/// path contains `only`, and of what is timed the cases whose names do. Throws a std::runtime_error where nothing does,
/// the table has an unknown word, or something can't be compiled, interpreted or written.
void pack(const std::string &cases, const std::string &root, const std::string &folder, const std::string &only = "");

} // namespace attnc::device
