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
  /// A call that is being checked.
  struct Frame {
    const ast::FunctionDecl *function;
    const Instance *self; ///< the module of a member function; null for a function of a file
    SourceRange call;     ///< the call in the source; the signature in the frame of an entry point
  };

  /// Returns the frame in which the function, of the same module, is being checked, so that a call of it is recursive;
  /// null if there is none.
  const Frame *find(const FunctionValue &function) const;
  void push(const FunctionValue &function, SourceRange call) {
    frames.push_back({function.decl, function.self.instance, call});
  }
  void pop() { frames.pop_back(); }

  /// Returns the innermost call; null in the entry point itself.
  const SourceRange *call() const { return frames.size() > 1 ? &frames.back().call : nullptr; }
  /// Returns Instance::checkpoint of the innermost module whose function is being checked; empty in the model itself
  /// and if there is no module.
  std::string module() const;

  /// Records that a call of the function, or the function as an entry point, has been checked.
  void markReached(const ast::FunctionDecl &function) { reached.insert(&function); }
  bool isReached(const ast::FunctionDecl &function) const { return reached.count(&function) > 0; }

private:
  std::vector<Frame> frames;
  std::set<const ast::FunctionDecl *> reached;
};

} // namespace attnc::check
