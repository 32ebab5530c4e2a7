// Transformations of declarations, of statements, and of files with syntax errors.
#include "frontends/attn/Parse/Lexer.h"
#include "frontends/attn/Parse/Walk.h"
#include "tools/attn-reduce/Model/ModelText.h"

namespace attnc::reduce {

/// Adds a change for each node that removes the node.
template <typename Nodes> static void drop(std::vector<Change> &changes, const Nodes &nodes) {
  for (const auto &node : nodes)
    changes.push_back({{node.range, ""}});
}

std::vector<Change> dropItems(const ModelText &model) {
  std::vector<Change> changes;
  if (!model.isParsed)
    return changes;
  drop(changes, model.file.exports);
  drop(changes, model.file.modules);
  drop(changes, model.file.optimizers);
  drop(changes, model.file.functions);
  drop(changes, model.file.constants);
  drop(changes, model.file.uses);
  return changes;
}

std::vector<Change> dropMembers(const ModelText &model) {
  std::vector<Change> changes;
  if (!model.isParsed)
    return changes;
  for (const ast::ModuleDecl &module : model.file.modules) {
    drop(changes, module.functions);
    drop(changes, module.fields);
    drop(changes, module.constants);
  }
  for (const ast::OptimizerDecl &optimizer : model.file.optimizers)
    drop(changes, optimizer.states);
  return changes;
}

std::vector<Change> dropStatements(const ModelText &model) {
  std::vector<Change> changes;
  auto dropAll = [&](const ast::Block &block) {
    for (const ast::StmtPtr &stmt : block.statements)
      changes.push_back({{stmt->range, ""}});
  };
  if (model.isParsed)
    walk(model.file, {.block = dropAll});
  return changes;
}

std::vector<Change> unwrapBlocks(const ModelText &model) {
  std::vector<Change> changes;
  auto unwrapAll = [&](const ast::Block &block) {
    for (const ast::StmtPtr &stmt : block.statements) {
      auto unwrap = [&](const ast::Block &inner) {
        std::string text;
        for (const ast::StmtPtr &each : inner.statements)
          text += model.source(each->range) + "\n";
        changes.push_back({{stmt->range, text}});
      };
      if (auto *choice = stmt->as<ast::IfStmt>()) {
        unwrap(choice->thenBlock);
        if (choice->elseBlock)
          unwrap(*choice->elseBlock);
      } else if (auto *loop = stmt->as<ast::ForStmt>()) {
        unwrap(loop->body);
      }
    }
  };
  if (model.isParsed)
    walk(model.file, {.block = unwrapAll});
  return changes;
}

std::vector<Change> dropLines(const ModelText &model) {
  std::vector<Change> changes;
  if (model.isParsed)
    return changes;
  std::string_view text = model.text();
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    changes.push_back({{{model.file.file, uint32_t(begin), uint32_t(end)}, ""}});
    begin = end;
  }
  return changes;
}

std::vector<Change> dropWords(const ModelText &model) {
  std::vector<Change> changes;
  if (model.isParsed)
    return changes;
  DiagnosticEngine diagnostics(model.sources);
  TokenStream stream = lex(model.sources, model.file.file, diagnostics);
  for (size_t i = 0; i + 1 < stream.tokens.size(); ++i) { // with the space before the next word
    SourceRange range = stream.tokens[i].range;
    range.end = stream.tokens[i + 1].range.begin;
    changes.push_back({{range, ""}});
  }
  return changes;
}

} // namespace attnc::reduce
