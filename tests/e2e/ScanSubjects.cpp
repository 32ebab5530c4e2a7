#include "tests/e2e/Subject.h"

namespace attnc::e2e {

static std::vector<Choice> scannedSequences() {
  return {{"one step", {{"batch", 2}, {"seq", 1}}},
          {"steps", {{"batch", 3}, {"seq", 11}}},
          {"rows that no tile divides", {{"batch", 33}, {"seq", 5}}},
          {"no steps", {{"batch", 2}, {"seq", 0}}},
          {"empty batch", {{"batch", 0}, {"seq", 3}}}};
}

static std::vector<Choice> pairs() {
  return {{"words", {{"batch", 3}, {"n", 7}, {"m", 5}}},
          {"one word", {{"batch", 2}, {"n", 1}, {"m", 1}}},
          {"no word to write", {{"batch", 2}, {"n", 3}, {"m", 0}}}};
}

std::vector<Subject> scanSubjects() {
  Accuracy step = {.c = 16, .reduction = 60, .along = {"seq"}};
  Accuracy sums = {.c = 32, .reduction = 200, .along = {"seq", "batch"}};
  std::vector<Choice> few = {{"steps", {{"batch", 3}, {"seq", 6}}}, {"no steps", {{"batch", 2}, {"seq", 0}}}};
  Accuracy matrices = {.c = 64, .reduction = 400, .along = {"n", "batch"}};
  std::vector<Choice> ofMatrices = {{"one step", {{"batch", 1}, {"n", 1}}},
                                    {"steps", {{"batch", 2}, {"n", 5}}},
                                    {"chunks", {{"batch", 1}, {"n", 37}}},
                                    {"no steps", {{"batch", 2}, {"n", 0}}}};
  Fillers lengths = {{"length", upTo("seq")}}, words = {{"length", upTo("n")}};
  return {
      {"scans.attn", "forwards", step, scannedSequences()},
      {"scans.attn", "padded", step, scannedSequences(), lengths},
      {"scans.attn", "backwards", step, scannedSequences(), lengths},
      {"scans.attn", "seven", {.c = 16, .reduction = 100}, {{"rows", {{"batch", 5}}}}},
      {"scans.attn", "decode", {.c = 16, .reduction = 100, .along = {"n", "m"}}, pairs(), words},
      {"scans.attn", "pointers", {}, {{"rows", {{"batch", 4}, {"n", 9}}}, {"one", {{"batch", 1}, {"n", 1}}}}},
      {"scans.attn", "machine", step, scannedSequences()},
      {"scans.attn", "noisy", step, scannedSequences(), {{"seed", constant(5)}, {"step", constant(3)}}},
      {"scans.attn", "numbered", {.c = 16, .reduction = 40}, {{"rows", {{"batch", 3}}}}},
      {"scans.attn", "repeated", {.c = 16}, {{"rows", {{"batch", 3}}}}},
      {"scans.attn", "numbered_gradient", {.c = 32, .reduction = 200, .along = {"batch"}}, {{"rows", {{"batch", 3}}}}},
      {"scans.attn", "both_ways_gradient", sums, scannedSequences(), lengths},
      {"scans.attn", "decoded_gradient", {.c = 32, .reduction = 300, .along = {"n", "m"}}, pairs(), words},
      {"scans.attn",
       "settled_gradient",
       {.c = 32, .reduction = 200, .along = {"batch"}},
       {{"rows", {{"batch", 3}}}, {"no rows", {{"batch", 0}}}}},
      {"scans.attn",
       "before_gradient",
       {.c = 32, .reduction = 200, .along = {"seq"}},
       {{"steps", {{"seq", 7}}}, {"no steps", {{"seq", 0}}}}},
      {"scans.attn", "peaks_gradient", sums, scannedSequences()},
      {"scans.attn", "remembered_gradient", sums, few},
      {"scans.attn", "taped_gradient", sums, scannedSequences(), lengths},
      {"scans.attn", "unmoved_gradient", sums, few, {{"k0", below(3)}}},
      {"recurrences.attn", "gated", matrices, ofMatrices},
      {"recurrences.attn", "gated_chunks", matrices, ofMatrices},
      {"recurrences.attn", "gated_gradient", matrices, ofMatrices},
      {"recurrences.attn", "delta", matrices, ofMatrices},
      {"recurrences.attn", "delta_chunks", matrices, ofMatrices},
      {"recurrences.attn", "delta_gradient", matrices, ofMatrices},
      {"recurrences.attn", "delta_features", matrices, ofMatrices},
      {"recurrences.attn", "delta_features_gradient", matrices, ofMatrices},
      {"lists.attn", "two_of_three_gradient", {.c = 32, .along = {"n"}}, {{"rows", {{"n", 7}}}}},
      {"lists.attn", "one_of_outers_gradient", {.c = 64, .reduction = 40}, {{"rows", {{"n", 7}}}}},
      {"lists.attn", "scaled_offset_step", {.c = 64, .reduction = 40}, {{"rows", {{"n", 7}}}}},
      {"lists.attn", "pooled_gradient", {.c = 64, .reduction = 40}, {{"one", {{"n", 1}}}, {"rows", {{"n", 23}}}}},
      {"lists.attn", "through_none_gradient", {.c = 32, .along = {"n"}}, {{"rows", {{"n", 7}}}}},
      {"lists.attn", "through_none_step", {.c = 32, .along = {"n"}}, {{"rows", {{"n", 7}}}}},
      {"lists.attn", "crossed_gradient", {.c = 32, .along = {"n"}}, {{"one", {{"n", 1}}}, {"steps", {{"n", 9}}}}},
  };
}

} // namespace attnc::e2e
