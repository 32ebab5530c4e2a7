//===- ModelSubject.h - reduction of model files ------------------------------------------------------------------===//
#pragma once

#include "tools/attn-reduce/Model/ModelText.h"

namespace attnc::reduce {

/// The language of model files. Before a test runs, Changes::apply rejects results by the checker
/// (frontends/attn/Check) in the two cases of the constructor. It always rejects syntax errors that a change of a
/// canonical text causes.
class ModelSubject : public Subject {
public:
  /// `path` is the path of the user's file, beside which the checker finds the files that it uses. `text` is the
  /// content of the file. If the checker accepts `text`, the fault is in a later phase, and Changes::apply returns only
  /// texts that the checker accepts. `message` is the text that the fault prints (--expect); null if the criteria have
  /// none. If the checker's messages about `text` contain `message`, Changes::apply returns only texts with such a
  /// message.
  ModelSubject(std::string path, const std::string &text, CheckOptions options,
               const std::optional<std::string> &message);

  Size sizeOf(const std::string &text) const override;
  const char *partsName() const override { return "words"; }
  std::span<const Transformation> transformations() const override { return list; }

  /// The first components of the paths in the `use` declarations of `text`: {"a"} for `use a.b`. May have duplicates.
  static std::vector<std::string> usedBy(const std::string &text);

private:
  /// The rendered messages of the checker about `text`; empty if the checker accepts it.
  std::string messagesOf(const std::string &text) const;
  /// Whether the checker's result for `text` meets the condition of the constructor (isChecked, message).
  bool isWorthTrying(const std::string &text) const;
  /// The transformation whose changes are those that `find` returns.
  Transformation transformation(std::string name, bool inGroups, std::vector<Change> (*find)(const ModelText &)) const;
  friend class ModelChanges;

  std::string path;
  CheckOptions options;
  bool isChecked = false;             ///< the checker must accept each text
  std::optional<std::string> message; ///< the checker must report this message for each text
  std::vector<Transformation> list;
};

} // namespace attnc::reduce
