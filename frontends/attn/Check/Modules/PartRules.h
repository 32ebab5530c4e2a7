//===- PartRules.h - rules of a field for the modules in it -------------------------------------------------------===//
//
//   decoder: llama.Decoder(...) with adapters.LoRA(8) at "q_proj", "v_proj" frozen at "mlp", "layers.*.norm"
//
// The words after `at` select the modules and parameters in the field, itself included, whose names in checkpoints end
// in them: "q_proj" selects model.layers.0.self_attn.q_proj. The word `*` stands for any word between dots, such as the
// index of a list. The modules of a list of equal modules are selected together.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Names/Scopes.h"

namespace attnc::check {

/// The rules of a field.
struct PartRules {
  const ast::FieldDecl *field;
  Scope *scope;                     ///< of the module that has the field
  bool isOwnerFrozen;               ///< this module is frozen, and so are modules that `with` creates
  PartRules *outer;                 ///< rules of the next field around it that has any; null if there is none
  std::set<std::string> used = {};  ///< words that have selected a part
  std::set<std::string> parts = {}; ///< names in checkpoints that were compared with the words
};

/// True if the name in checkpoints of a module or parameter ends in `words`.
bool endsIn(std::string_view checkpoint, std::string_view words);

/// True if a field with `rules`, or one around it, has `frozen at` for a module or parameter.
bool isFrozenByRule(PartRules *rules, const std::string &checkpoint);
/// Returns the rules of the innermost field whose `with` selects a module; null if there is none.
PartRules *rulesWithModule(PartRules *rules, const std::string &checkpoint);

/// Reports words that select no part of the field, after all its parts were compared.
void reportUnused(Reporter &reporter, const PartRules &rules);

} // namespace attnc::check
