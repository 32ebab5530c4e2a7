//===- GenerateOptions.h - options of attnc generate --------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Options/SourceOptions.h"
#include <map>

namespace attnc {

struct GenerateOptions {
  SourceOptions source;
  std::string entry, prompt;
  std::vector<std::string> weights;      ///< paths (WeightsFiles.h)
  std::vector<std::string> vocabularies; ///< Vocabularies::open()
  std::vector<std::string> inputs;       ///< NAME=VALUE
  std::string stop;                      ///< a token that ends the text; empty: none
  bool isChat = false;
  std::string system; ///< the message of the system in a chat; empty: none
  int64_t count = 200, threads = 0;
  uint64_t seed = 0;
  int64_t drafts = 0;                    ///< tokens that are drafted for a call; 0: none
  SourceOptions draft;                   ///< the model that writes drafts; without an input, drafts repeat the text
  std::vector<std::string> draftWeights; ///< paths
  /// Inputs of the sampler, by name; the defaults do not change the distribution.
  std::map<std::string, double> choice = {{"temperature", 1}, {"top_k", 0}, {"top_p", 1}};
  std::map<std::string, const CLI::Option *> said; ///< the options for these inputs and for `seed`
};

} // namespace attnc
