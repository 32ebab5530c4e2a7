//===- CallStack.h - call stack of the functions that are being checked -------------------------------------------===//
//
// A call is checked by inlining: the body of the function is checked again for each call. The stack has a frame for
// each function whose body is being checked, from the entry point, the first frame, to the innermost call.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Value.h"

namespace attnc::check {

/// The call stack, and the set of functions that have been reached so far.
class CallStack {
public:
  /// A call that is being checked.
  struct Frame {
    const ast::FunctionDecl *function;
    const Instance *self; ///< the module of a member function; null for a function of a file
    SourceRange call;     ///< the call in the source; the signature in the frame of an entry point
  };

  /// Returns the frame in which the function is being checked with the same module as `self`; null if there is none. If
  /// there is one, a call of the function would be recursive.
  const Frame *find(const FunctionValue &function) const;
  /// Adds a frame for the function; `call` is the call in the source.
  void push(const FunctionValue &function, SourceRange call) {
    frames.push_back({function.decl, function.self.instance, call});
  }
  void pop() { frames.pop_back(); }

  /// Returns the range of the innermost call; null in the entry point itself and outside of functions.
  const SourceRange *call() const { return frames.size() > 1 ? &frames.back().call : nullptr; }
  /// Returns Instance::checkpoint, the path in checkpoints, of the innermost module whose function is being checked.
  /// The path is empty in the model itself, and if there is no module.
  std::string module() const;

  /// Records that the function has been called or checked as an entry point. The checker checks functions that are
  /// never reached on their own (Entries::checkAlone).
  void markReached(const ast::FunctionDecl &function) { reached.insert(&function); }
  bool isReached(const ast::FunctionDecl &function) const { return reached.count(&function) > 0; }

private:
  std::vector<Frame> frames;
  std::set<const ast::FunctionDecl *> reached;
};

} // namespace attnc::check
