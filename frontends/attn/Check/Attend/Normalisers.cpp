#include "frontends/attn/Check/Attend/Normalisers.h"

namespace attnc::check {

using namespace typed;

std::span<const NormaliserWord> normaliserWords() {
  static const NormaliserWord words[] = {
      {"softmax", Normaliser::Softmax, {"sink", "temperature"}},
      {"ratio", Normaliser::Ratio, {}},
      {"none", Normaliser::None, {}},
      {"sigmoid", Normaliser::None, {}, ComposedScore::Sigmoid},
      {"sparsemax", Normaliser::Entmax, {}},
      {"entmax", Normaliser::Entmax, {"alpha"}},
      {"hard", Normaliser::Hard, {}},
      {"gumbel_softmax", Normaliser::Softmax, {"temperature"}, ComposedScore::Gumbel},
      {"sample", Normaliser::Hard, {"temperature"}, ComposedScore::Sampled, /*hasLogp=*/true},
      {"stick_breaking", Normaliser::StickBreaking, {}},
  };
  return words;
}

} // namespace attnc::check
