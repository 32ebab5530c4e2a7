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

std::optional<std::string> choiceText(Attribute value) {
  if (auto number = dyn_cast<IntegerAttr>(value); number && number.getValue().getSignificantBits() <= 64)
    return std::to_string(number.getValue().getSExtValue());
  if (auto word = dyn_cast<StringAttr>(value))
    return word.str();
  return std::nullopt;
}

void recordSchedule(func::FuncOp kernel, ArrayRef<Choice> choices) {
  NamedAttrList schedule;
  for (const Choice &choice : choices)
    schedule.set(choice.key, attributeOf(kernel.getContext(), choice));
  kernel->setAttr(chosenScheduleAttrName, schedule.getDictionary(kernel.getContext()));
}

ArrayRef<NamedAttribute> chosenSchedule(func::FuncOp kernel) {
  auto schedule = kernel->getAttrOfType<DictionaryAttr>(chosenScheduleAttrName);
  return schedule ? schedule.getValue() : ArrayRef<NamedAttribute>();
}

static Attribute chosenValue(func::FuncOp kernel, StringRef key) {
  auto schedule = kernel->getAttrOfType<DictionaryAttr>(chosenScheduleAttrName);
  return schedule ? schedule.get(key) : Attribute();
}

std::optional<std::string> chosenText(func::FuncOp kernel, StringRef key) {
  Attribute value = chosenValue(kernel, key);
  return value ? choiceText(value) : std::nullopt;
}

std::optional<int64_t> chosenNumber(func::FuncOp kernel, StringRef key) {
  auto number = dyn_cast_or_null<IntegerAttr>(chosenValue(kernel, key));
  return number ? std::optional(number.getInt()) : std::nullopt;
}

void recordDeclined(func::FuncOp kernel, StringRef key, StringRef reason) {
  NamedAttrList reasons(kernel->getAttrOfType<DictionaryAttr>(declinedAttrName));
  reasons.set(key, StringAttr::get(kernel.getContext(), reason));
  kernel->setAttr(declinedAttrName, reasons.getDictionary(kernel.getContext()));
}

StringRef declinedReason(func::FuncOp kernel, StringRef key) {
  auto reasons = kernel->getAttrOfType<DictionaryAttr>(declinedAttrName);
  auto reason = reasons ? reasons.getAs<StringAttr>(key) : StringAttr();
  return reason ? reason.getValue() : StringRef();
}

} // namespace attnc
