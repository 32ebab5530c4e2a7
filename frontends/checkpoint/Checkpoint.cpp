#include "frontends/checkpoint/Checkpoint.h"
#include "compiler/Diagnostics/Printable.h"
#include "compiler/Diagnostics/Spelling.h"
#include "compiler/Json/InputBuffer.h"
#include "compiler/Json/Json.h"
#include "frontends/checkpoint/Families.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace attnc {

/// Keys of all families that do not change what the model computes: about the file, training, and generation of text.
static constexpr StringLiteral irrelevantKeys[] = {"_attn_implementation_autoset",
                                                   "_name_or_path",
                                                   "architectures",
                                                   "attention_dropout",
                                                   "attn_implementation",
                                                   "bos_token_id",
                                                   "dtype",
                                                   "hidden_dropout",
                                                   "initializer_range",
                                                   "model_type",
                                                   "pad_token_id",
                                                   "resid_pdrop",
                                                   "embd_pdrop",
                                                   "torch_dtype",
                                                   "transformers_version",
                                                   "use_cache",
                                                   "output_attentions",
                                                   "output_hidden_states",
                                                   "return_dict",
                                                   "return_dict_in_generate",
                                                   "unsloth_version",
                                                   "cache_implementation"};

static std::string configPath(const std::string &folder) {
  SmallString<128> path(folder);
  sys::path::append(path, "config.json");
  return path.str().str();
}

bool isCheckpoint(const std::string &path) { return sys::fs::is_directory(path) && sys::fs::exists(configPath(path)); }

bool isBuffer(StringRef tensor) {
  static constexpr StringLiteral buffers[] = {"rotary_emb.inv_freq", "position_ids", "attn.bias",
                                              "attn.masked_bias",    "embed_scale",  "lm_head.weight"};
  return any_of(buffers, [&](StringRef buffer) { return tensor == buffer || tensor.ends_with(("." + buffer).str()); });
}

static Error fail(const std::string &message) { return createStringError(inconvertibleErrorCode(), message); }

/// The name of a folder, also of "." and "models/llama/".
static std::string nameOf(const std::string &folder) {
  SmallString<128> path(folder);
  if (sys::fs::make_absolute(path))
    return folder;
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return sys::path::filename(path).str();
}

static Expected<const Family *> familyOf(Config &config, const std::string &path) {
  std::string type = config.text("model_type", "");
  std::vector<std::string> known;
  for (const Family &family : families()) {
    if (family.type == type)
      return &family;
    known.push_back(family.type.str());
  }
  if (type.empty())
    return fail(path + ": model_type is missing, expected one of " + join(known, ", "));
  return fail(path + ": model_type: '" + printable(type) + "' is not supported, expected one of " + join(known, ", ") +
              didYouMean(type, known));
}

Expected<ImportedCheckpoint> importCheckpoint(const std::string &folder) {
  std::string path = configPath(folder);
  auto file = readInputFile(path);
  if (!file)
    return fail("can't read " + path + ": " + toString(file.takeError()));
  Expected<json::Value> value = parseJson((*file)->getBuffer());
  if (!value)
    return fail(path + ": " + toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  if (!object)
    return fail(path + ": expected an object of keys and values");
  std::vector<std::string> problems;
  Config config(*object, path + ": ", problems);
  Expected<const Family *> family = familyOf(config, path);
  if (!family)
    return family.takeError();
  config.ignore(irrelevantKeys);
  if (config.has("quantization_config"))
    config.refuse("quantization_config", "none: quantised checkpoints are not supported");
  ImportedCheckpoint result{(*family)->import(config, "config.json of " + printable(nameOf(folder))), {}};
  if (!problems.empty())
    return fail(join(problems, "\n"));
  for (const std::string &key : config.unread())
    result.warnings.push_back(path + ": the key " + key + " is not known, and is ignored");
  return result;
}

} // namespace attnc
