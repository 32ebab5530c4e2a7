// Subjects of training steps: the loss, and all parameters and states after the step.
#include "tests/e2e/Subject.h"

namespace attnc::e2e {

std::vector<Subject> trainingSubjects() {
  std::vector<Choice> batches = {{"one row", {{"batch", 1}}}, {"odd", {{"batch", 37}}}, {"many", {{"batch", 256}}}};
  std::vector<Subject> subjects;
  for (const char *optimizer : {"sgd", "adam", "adamw", "lion", "adafactor", "lagging_step", "crowded_step", "clipped",
                                "adversarial", "plain_parts", "clipped_parts"})
    subjects.push_back({"training.attn",
                        optimizer,
                        {.c = 16, .reduction = 100, .along = {"batch"}},
                        batches,
                        {{"targets", below(3)}}});
  // The variance of a single row is 0, so that normalised values are large.
  for (const char *entry : {"logits", "train"})
    subjects.push_back({"states.attn",
                        entry,
                        {.c = 64, .reduction = 60, .along = {"batch"}},
                        {{"few rows", {{"batch", 5}}}, {"odd", {{"batch", 37}}}},
                        {{"targets", below(3)}}});
  for (const char *entry : {"train_judge", "train_maker"})
    subjects.push_back({"adversaries.attn",
                        entry,
                        {.c = 16, .reduction = 60, .along = {"batch"}},
                        batches,
                        {{"seed", below(1 << 30)}}});
  for (const char *entry : {"around_step", "lists_step"})
    subjects.push_back({"counts.attn",
                        entry,
                        {.c = 16, .reduction = 60},
                        {{"few rows", {{"n", 3}, {"t", 2}}}, {"odd", {{"n", 17}, {"t", 5}}}}});
  std::vector<Choice> tokens = {{"one token", {{"batch", 1}, {"seq", 1}}}, {"tokens", {{"batch", 3}, {"seq", 37}}}};
  for (const char *file : {"mixtures.attn", "stacked_lists.attn"})
    for (const char *entry : {"loss_gradient", "train"})
      subjects.push_back({file, entry, {.c = 32, .reduction = 60, .along = {"batch", "seq"}}, tokens});
  subjects.push_back({"stacked_lists.attn", "all", {.c = 64, .reduction = 60}, {{"rows", {{"batch", 7}}}}});
  subjects.push_back({"mixtures.attn",
                      "products_gradient",
                      {.c = 32, .reduction = 32, .along = {"n", "picks"}},
                      {{"rows", {{"n", 50}, {"picks", 3}}}, {"none", {{"n", 0}, {"picks", 3}}}},
                      {{"at", below(6)}}});
  return subjects;
}

} // namespace attnc::e2e
