//===- ModelSubject.h - reduction of model files ----------------------------------------------------------------===//
#pragma once

#include "tools/attn-reduce/Model/ModelText.h"

namespace attnc::reduce {

class ModelSubject : public Subject {
public:
  /// `path` is the user's file, which may use files beside it; `text` is its content. If the checker accepts `text`,
  /// only texts that it accepts are tested, because the fault is in a later phase. `message` is the text of --expect;
  /// if the checker's messages about `text` contain it, only texts with such a message are tested.
  ModelSubject(std::string path, const std::string &text, CheckOptions options,
               const std::optional<std::string> &message);

  Size sizeOf(const std::string &text) const override;
  const char *partsName() const override { return "words"; }
  std::span<const Transformation> transformations() const override { return list; }

  /// The first components of the paths of files that `text` may use: {"a"} for `use a.b`.
  static std::vector<std::string> usedBy(const std::string &text);

private:
  /// The messages of the checker; empty if it accepts the text.
  std::string messagesOf(const std::string &text) const;
  /// Whether the checker's answer to the text is as the constructor requires.
  bool isWorthTrying(const std::string &text) const;
  Transformation transformation(std::string name, bool inGroups, std::vector<Change> (*find)(const ModelText &)) const;
  friend class ModelChanges;

  std::string path;
  CheckOptions options;
  bool isChecked = false;             ///< the checker must accept each text
  std::optional<std::string> message; ///< the checker must report this message for each text
  std::vector<Transformation> list;
};

} // namespace attnc::reduce
