#include "frontends/attn/Check/CallStack.h"

#include <ranges>

namespace attnc::check {

const CallStack::Frame *CallStack::find(const FunctionValue &function) const {
  for (const Frame &frame : frames)
    if (frame.function == function.decl && frame.self == function.self.instance)
      return &frame;
  return nullptr;
}

std::string CallStack::module() const {
  for (const Frame &frame : std::views::reverse(frames))
    if (frame.self)
      return frame.self->checkpoint;
  return "";
}

} // namespace attnc::check
