#include "attn/status.h"
#include "tests/e2e/Subject.h"

namespace attnc::e2e {

static std::vector<Subject> layersOnDevice() {
  std::vector<Choice> rows = {{"one row", {{"rows", 1}}}, {"rows that no block divides", {{"rows", 67}}}},
                      sequences = {{"a sequence", {{"batch", 1}, {"seq", 37}}},
                                   {"batches", {{"batch", 3}, {"seq", 21}}},
                                   {"empty batch", {{"batch", 0}, {"seq", 4}}}};
  Accuracy linear = {.c = 8, .reduction = 48}, mlp = {.c = 16, .reduction = 150};
  return {
      {"device.attn", "apply_norm", linear, sequences},
      {"device.attn", "apply_rms", linear, rows},
      {"device.attn", "apply_filter", {.c = 8, .reduction = 150}, sequences},
      {"device.attn", "apply_gated", mlp, rows},
      {"device.attn", "embed", linear, sequences, {{"tokens", below(64)}}},
      {"device.attn",
       "embed",
       {},
       {{"a token out of range",
         {{"batch", 1}, {"seq", 4}},
         {{"tokens", except(constant(0), 2, 64)}},
         ATTN_OUT_OF_RANGE}}},
      {"device.attn", "residual", {.c = 32, .reduction = 450}, rows},
      {"device.attn", "classify", mlp, rows},
      {"device.attn", "long_rows", {.c = 16, .reduction = 5000}, {{"rows", {{"rows", 3}}}}},
      {"device.attn",
       "total",
       {.c = 8, .along = {"n"}},
       {{"one", {{"n", 1}}}, {"many", {{"n", 10007}}}, {"none", {{"n", 0}}}}},
  };
}

std::vector<Subject> deviceSubjects() {
  std::vector<Subject> all = layersOnDevice();
  for (const Subject &subject : layerSubjects())
    if (subject.file == "tensors.attn")
      all.push_back(subject);
  for (Subject &subject : all)
    subject.target = "cuda";
  return all;
}

} // namespace attnc::e2e
