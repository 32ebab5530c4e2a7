//===- PostProcessor.h - special tokens around a text -------------------------------------------------------------===//
//
// A post-processor is a list of templates: sequences of special tokens and of the text, such as [CLS] $A [SEP]. Each
// template is applied to the result of the one before it. Templates for pairs of texts are ignored.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/tokenizer/JsonEntry.h"
#include <functional>

namespace attnc::tokenizer {

class PostProcessor {
public:
  /// Whether a token has this id.
  using HasToken = std::function<bool(int32_t id)>;

  /// Reads the entry `post_processor`. Throws a FileError for an id without a token.
  PostProcessor(const JsonEntry &entry, const HasToken &hasToken) { read(entry, hasToken, 0); }
  /// Adds the special tokens to the ids of a text.
  void process(std::vector<int32_t> &ids) const;

private:
  struct Part {
    bool isText;
    std::vector<int32_t> ids; ///< of a special token
  };
  using Template = std::vector<Part>;
  void read(const JsonEntry &entry, const HasToken &hasToken, int depth);
  void readTemplate(const JsonEntry &entry, const HasToken &hasToken);

  std::vector<Template> templates;
};

} // namespace attnc::tokenizer
