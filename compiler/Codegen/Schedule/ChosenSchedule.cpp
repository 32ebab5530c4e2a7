#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace attnc {

Attribute attributeOf(MLIRContext *context, const Choice &choice) {
  Builder builder(context);
  auto *number = std::get_if<int64_t>(&choice.value);
  return number ? Attribute(builder.getI64IntegerAttr(*number))
                : builder.getStringAttr(std::get<StringRef>(choice.value));
}

void recordSchedule(func::FuncOp kernel, ArrayRef<Choice> choices) {
  NamedAttrList schedule;
  for (const Choice &choice : choices)
    schedule.set(choice.key, attributeOf(kernel.getContext(), choice));
  kernel->setAttr(scheduleAttrName, schedule.getDictionary(kernel.getContext()));
}

void recordDeclined(func::FuncOp kernel, StringRef key, StringRef reason) {
  NamedAttrList reasons(kernel->getAttrOfType<DictionaryAttr>(declinedAttrName));
  reasons.set(key, StringAttr::get(kernel.getContext(), reason));
  kernel->setAttr(declinedAttrName, reasons.getDictionary(kernel.getContext()));
}

StringRef whyDeclined(func::FuncOp kernel, StringRef key) {
  auto reasons = kernel->getAttrOfType<DictionaryAttr>(declinedAttrName);
  auto reason = reasons ? reasons.getAs<StringAttr>(key) : StringAttr();
  return reason ? reason.getValue() : StringRef();
}

} // namespace attnc
