#include "frontends/checkpoint/Rotary.h"
#include "frontends/checkpoint/ModelText.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <fmt/format.h>

namespace attnc {

namespace {

/// The values of rotary positions, of any type.
struct Values {
  int64_t features;
  double base;
  int64_t context; ///< that of the training before an extension
  int64_t extended;
};

} // namespace

static std::string call(llvm::StringRef function, const Values &values, const std::string &more) {
  return fmt::format("pair => rotary.{}(pair, {}, base: {}{})", function.str(), values.features, realText(values.base),
                     more);
}

static std::string llama3(Config &scaling, const Values &values) {
  double low = scaling.positive("low_freq_factor"), high = scaling.positive("high_freq_factor");
  if (low >= high && scaling.has("low_freq_factor") && scaling.has("high_freq_factor"))
    scaling.refuse("high_freq_factor", "a number above low_freq_factor");
  return call("llama3", values,
              fmt::format(", factor: {}, low: {}, high: {}, context: {}", realText(scaling.positive("factor")),
                          realText(low), realText(high), values.context));
}

/// YaRN's factor of rotated features (Peng et al. 2023, equation 22), with the weight `scale` of its logarithm.
static double yarnGain(double factor, double scale) { return factor <= 1 ? 1 : 0.1 * scale * std::log(factor) + 1; }

static std::string yarnArguments(const Yarn &yarn) {
  return fmt::format(", factor: {}, context: {}{}", realText(yarn.factor), yarn.context,
                     yarn.isWhole ? "" : ", whole: false");
}

/// Sets the gains of `rotary`, and returns its frequency.
static std::string yarn(Config &scaling, const Values &values, Rotary &rotary) {
  double factor = scaling.positive("factor", double(values.extended) / double(values.context));
  double scale = scaling.real("mscale", 0), allScale = scaling.real("mscale_all_dim", 0);
  double gain =
      scale != 0 && allScale != 0 ? yarnGain(factor, scale) / yarnGain(factor, allScale) : yarnGain(factor, 1);
  rotary.gain = scaling.positive("attention_factor", gain);
  rotary.scoreGain = std::pow(yarnGain(factor, allScale), 2);
  std::string more = yarnArguments({factor, values.context, scaling.flag("truncate", true)});
  if (double fast = scaling.positive("beta_fast", 32); fast != 32)
    more += ", fast: " + realText(fast);
  if (double slow = scaling.positive("beta_slow", 1); slow != 1)
    more += ", slow: " + realText(slow);
  return call("yarn", values, more);
}

/// The divisors of all frequencies, as a list in the language, on lines of at most eight numbers.
static std::string readFactors(Config &scaling, llvm::StringRef key, const Values &values) {
  std::vector<double> factors = scaling.reals(key);
  if (int64_t(factors.size()) != values.features / 2 || llvm::any_of(factors, [](double each) { return !(each > 0); }))
    scaling.refuse(key, fmt::format("{} positive numbers", values.features / 2));
  std::string result = "[";
  for (size_t i = 0; i < factors.size(); ++i)
    result += (i == 0 ? "" : i % 8 == 0 ? ",\n        " : ", ") + realText(factors[i]);
  return result + "]";
}

/// Sets the gain of `rotary` and its number of positions, and returns its frequency (Ding et al. 2024).
static std::string longrope(Config &scaling, const Values &values, Rotary &rotary) {
  double original = double(values.context), scale = scaling.positive("factor", double(values.extended) / original);
  rotary.gain =
      scaling.positive("attention_factor", scale <= 1 ? 1 : std::sqrt(1 + std::log(scale) / std::log(original)));
  std::string factors = readFactors(scaling, "short_factor", values),
              others = readFactors(scaling, "long_factor", values);
  if (values.extended > values.context) {
    rotary.shortContext = values.context;
    factors = fmt::format("if long then {}\n      else {}", others, factors);
  }
  return call("longrope", values, ",\n      factors: " + factors);
}

/// The types of rotary positions that a family supports.
static llvm::StringRef typesOf(const RotaryDefaults &family) {
  if (family.longRopeContext)
    return "default, linear, llama3 or longrope";
  return family.hasYarn ? "default, linear, llama3 or yarn" : "default, linear or llama3";
}

/// The rotary positions that `scaling` describes; `config` has `original_max_position_embeddings` in some files. `key`
/// is the key of `scaling`, for messages.
static Rotary rotaryOf(Config &config, Config &scaling, llvm::StringRef key, Values values,
                       const RotaryDefaults &family) {
  values.base = scaling.positive("rope_theta", values.base);
  int64_t original = scaling.size("original_max_position_embeddings", family.longRopeContext.value_or(values.extended));
  values.context = config.size("original_max_position_embeddings", original);
  const char *typeKey = scaling.has("rope_type") ? "rope_type" : "type";
  std::string type = scaling.text(typeKey, "default");
  scaling.ignore({"rope_type", "type"});
  Rotary rotary;
  if (type == "default")
    rotary.frequency = call("plain", values, "");
  else if (type == "linear")
    rotary.frequency = call("linear", values, ", factor: " + realText(scaling.positive("factor")));
  else if (type == "llama3")
    rotary.frequency = llama3(scaling, values);
  else if (family.longRopeContext && llvm::is_contained({"longrope", "su", "yarn"}, type)) // all mean longrope there
    rotary.frequency = longrope(scaling, values, rotary);
  else if (type == "yarn" && family.hasYarn)
    rotary.frequency = yarn(scaling, values, rotary);
  else
    scaling.refuse(typeKey, typesOf(family));
  // A file may have keys of other types.
  scaling.ignore({"factor", "low_freq_factor", "high_freq_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim",
                  "attention_factor", "truncate", "short_factor", "long_factor"});
  for (const std::string &unknown : scaling.unread())
    config.refuse(key, "no key " + unknown);
  return rotary;
}

int64_t readRotatedFeatures(Config &config, int64_t headDim, double part) {
  part = config.part("rope_parameters").real("partial_rotary_factor", part); // of newer files
  int64_t turned = int64_t(double(headDim) * config.real("partial_rotary_factor", part));
  if (turned < 2 || turned > headDim || turned % 2 != 0)
    config.refuse("partial_rotary_factor", "a part of a head with an even number of features");
  return turned;
}

void expectWholeHeads(Config &config) {
  config.expectOnly("partial_rotary_factor", 1.0);
  config.part("rope_parameters").expectOnly("partial_rotary_factor", 1.0);
}

Rotary readRotary(Config &config, const RotaryDefaults &family) {
  // Newer files have `rope_parameters`; `rope_scaling` has precedence.
  const char *key = config.has("rope_scaling") ? "rope_scaling" : "rope_parameters";
  config.ignore({"rope_parameters"});
  std::optional<Config> scaling = config.object(key);
  Values values{family.features, config.positive("rope_theta", family.base), family.context, family.context};
  if (scaling)
    return rotaryOf(config, *scaling, key, values, family);
  if (!family.scaling)
    return {call("plain", values, "")};
  return {call("yarn", values, yarnArguments(*family.scaling)), yarnGain(family.scaling->factor, 1)};
}

LayerRotary readLayerRotary(Config &config, const RotaryDefaults &family, double localBase) {
  Values local{family.features, localBase, family.context, family.context};
  std::optional<Config> types = config.object("rope_parameters");
  std::optional<Config> full = types ? types->object("full_attention") : std::nullopt;
  if (!full)
    return {readRotary(config, family), {call("plain", local, "")}};
  Values values{family.features, family.base, family.context, family.context};
  LayerRotary rotary{rotaryOf(config, *full, "rope_parameters", values, family), {call("plain", local, "")}};
  if (std::optional<Config> sliding = types->object("sliding_attention"))
    rotary.sliding = rotaryOf(config, *sliding, "rope_parameters", local, family);
  return rotary;
}

} // namespace attnc
