//===- Rotary.h - rotary position embeddings of config.json -------------------------------------------------------===//
#pragma once

#include "frontends/checkpoint/Config.h"

namespace attnc {

/// Rotary positions. With longrope, those of texts up to a number of positions and those of longer texts differ: the
/// model has the hyperparameter `long`.
struct Rotary {
  std::string frequency =
      {};                   ///< a function of the pair of features, in the language: "pair => rotary.plain(pair, ...)"
  double gain = 1;          ///< factor of rotated features
  double scoreGain = 1;     ///< factor of scores in families that have `mscale_all_dim`
  int64_t shortContext = 0; ///< longrope: the number of positions without `long`; 0: all
};

/// The type yarn of a family: the factor of the extension, the context before it, and whether the ends of its ramp are
/// whole pairs.
struct Yarn {
  double factor;
  int64_t context;
  bool isWhole;
};

/// Values of a family, where config.json has none.
struct RotaryDefaults {
  int64_t features;                           ///< number of rotated features of a head
  double base;                                ///< `rope_theta` if the file has none
  int64_t context;                            ///< `max_position_embeddings`
  bool hasYarn = true;                        ///< its module has a gain, and the type yarn its usual meaning
  std::optional<Yarn> scaling = std::nullopt; ///< of files without `rope_scaling` and `rope_parameters`
  /// `original_max_position_embeddings`, if the module has a gain and the family the type longrope.
  std::optional<int64_t> longRopeContext = std::nullopt;
};

/// Rotary positions of layers without and with a window.
struct LayerRotary {
  Rotary full, sliding;
};

/// The number of features of a head that are rotated, an even number. `part` is the default of their share.
int64_t readRotatedFeatures(Config &config, int64_t headDim, double part);

/// Records a problem if only a part of the features of a head is rotated.
void expectWholeHeads(Config &config);

/// Reads the keys of older files (`rope_theta`, `rope_scaling`) or of newer ones (`rope_parameters`), for the types
/// default, linear, llama3 and yarn.
Rotary readRotary(Config &config, const RotaryDefaults &family);

/// The same for a family whose layers with a window have frequencies of their own: of the base `localBase`, which older
/// files have in a key of the family, or of `rope_parameters` by layer type in newer ones.
LayerRotary readLayerRotary(Config &config, const RotaryDefaults &family, double localBase);

} // namespace attnc
