//===- ModelSubject.h - the reduction of model files ------------------------------------------------------------===//
#pragma once

#include "tools/attn-reduce/Model/ModelText.h"

namespace attnc::reduce {

class ModelSubject : public Subject {
public:
  /// `path` is that of the user's file, beside which others may lie; `text` what is in it. Where the checker takes
  /// that, only texts that it takes are tried: what fails behind the checker can be shown by no others. Where it says
  /// what is looked for, `message`, only texts of which it says so are.
  ModelSubject(std::string path, const std::string &text, CheckOptions options,
               const std::optional<std::string> &message);

  Size sizeOf(const std::string &text) const override;
  const char *partsName() const override { return "words"; }
  std::span<const Transformation> transformations() const override { return list; }

  /// The files that `text` may use, by the first word of their paths.
  static std::vector<std::string> usedBy(const std::string &text);

private:
  /// What the checker says; empty where it takes the text.
  std::string messagesOf(const std::string &text) const;
  bool isWorthTrying(const std::string &text) const;
  Transformation transformation(std::string name, bool inGroups, std::vector<Change> (*find)(const ModelText &)) const;
  friend class ModelChanges;

  std::string path;
  CheckOptions options;
  bool isChecked = false;             ///< texts have to be taken by the checker
  std::optional<std::string> message; ///< of the checker, which texts have to get
  std::vector<Transformation> list;
};

} // namespace attnc::reduce
