#include "compiler/Codegen/ChosenSchedule.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace attnc {

void recordSchedule(func::FuncOp kernel, ArrayRef<Choice> choices) {
  Builder builder(kernel.getContext());
  NamedAttrList schedule;
  for (const Choice &choice : choices) {
    auto *number = std::get_if<int64_t>(&choice.value);
    schedule.set(choice.key, number ? Attribute(builder.getI64IntegerAttr(*number))
                                    : builder.getStringAttr(std::get<StringRef>(choice.value)));
  }
  kernel->setAttr(scheduleAttrName, schedule.getDictionary(kernel.getContext()));
}

} // namespace attnc
