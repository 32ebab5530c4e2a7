// Subjects compiled by Halide wherever it accepts a kernel, and convolutions of static sizes by each emitter.
#include "tests/e2e/Subject.h"

namespace attnc::e2e {

static std::vector<Subject> convolutions() {
  std::vector<Choice> images = {{"one image", {{"batch", 1}}}, {"several", {{"batch", 3}}}, {"none", {{"batch", 0}}}};
  std::vector<Choice> texts = {{"shorter than it reaches back", {{"batch", 2}, {"seq", 3}}},
                               {"that no tile divides", {{"batch", 2}, {"seq", 61}}},
                               {"empty", {{"batch", 2}, {"seq", 0}}}};
  Accuracy accuracy = {.c = 8, .reduction = 9 * 20};
  return {
      {"convolutions.attn", "valid", accuracy, images},
      {"convolutions.attn", "padded", accuracy, images},
      {"convolutions.attn", "channels_first", accuracy, images},
      {"convolutions.attn", "strided", accuracy, images},
      {"convolutions.attn", "transposed", accuracy, images},
      {"convolutions.attn", "depthwise", accuracy, images},
      {"convolutions.attn", "pooled", {.c = 8, .reduction = 9}, images},
      {"convolutions.attn", "causal", accuracy, texts},
      {"convolutions.attn", "guarded", accuracy, texts},
  };
}

std::vector<Subject> halideSubjects() {
  std::vector<Subject> all;
  for (const char *emitter : {"auto", "cpu", "halide"})
    for (Subject subject : convolutions()) {
      subject.emitter = emitter;
      all.push_back(std::move(subject));
    }
  for (const std::vector<Subject> &table : {shapeSubjects(), layerSubjects(), trainingSubjects(), scanSubjects()})
    for (Subject subject : table) {
      subject.emitter = "halide";
      all.push_back(std::move(subject));
    }
  return all;
}

} // namespace attnc::e2e
