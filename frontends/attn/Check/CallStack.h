//===- CallStack.h - call stack of the functions that are being checked -------------------------------------------===//
//
// Calls are inlined, so checking runs over a stack of calls; the first frame is the entry point.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Value.h"

namespace attnc::check {

class CallStack {
public:
  struct Frame {
    const ast::FunctionDecl *function;
    const Instance *self;
    SourceRange call;
  };

  /// Returns the frame of a recursive call's earlier call; null if the call is not recursive.
  const Frame *find(const FunctionValue &function) const;
  void push(const FunctionValue &function, SourceRange call) {
    frames.push_back({function.decl, function.self.instance, call});
  }
  void pop() { frames.pop_back(); }

  /// The innermost call; null in the entry point itself.
  const SourceRange *call() const { return frames.size() > 1 ? &frames.back().call : nullptr; }
  /// Returns the checkpoint path of the innermost module whose function is being checked; empty if there is none.
  std::string module() const;

  /// Records that a call of the function, or the function as an entry point, has been checked.
  void markReached(const ast::FunctionDecl &function) { reached.insert(&function); }
  bool isReached(const ast::FunctionDecl &function) const { return reached.count(&function) > 0; }

private:
  std::vector<Frame> frames;
  std::set<const ast::FunctionDecl *> reached;
};

} // namespace attnc::check
