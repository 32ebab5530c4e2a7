#include "compiler/Codegen/Schedule/KernelForms.h"
#include "mlir/IR/Builders.h"
#include <fmt/format.h>

using namespace mlir;

namespace attnc {

static constexpr llvm::StringLiteral formsAttrName = "attn.forms", refusedAttrName = "attn.refused_forms";
/// Keys of the dictionaries; all other keys are choices.
static constexpr llvm::StringLiteral phaseKey = "phase", formKey = "form", reasonKey = "reason";

static constexpr std::pair<KernelForm, llvm::StringLiteral> names[] = {
    {KernelForm::WarpGroups, "warp-groups"},
    {KernelForm::TensorCores, "tensor-cores"},
    {KernelForm::F32, "f32"},
    {KernelForm::SplitKeys, "split-keys"},
    {KernelForm::FewRows, "few-rows"},
    {KernelForm::Merge, "merge"},
    {KernelForm::TensorMaps, "tensor-maps"},
    {KernelForm::ThreadPerPoint, "thread-per-point"},
    {KernelForm::WarpPerPoint, "warp-per-point"},
    {KernelForm::BlockPerPoint, "block-per-point"},
    {KernelForm::WarpPerRow, "warp-per-row"},
    {KernelForm::BlockPerRow, "block-per-row"},
};

static constexpr auto forms = [] {
  std::array<KernelForm, std::size(names)> all{};
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = names[i].first;
  return all;
}();

llvm::ArrayRef<KernelForm> allForms() { return forms; }

StringRef nameOf(KernelForm form) { return names[static_cast<size_t>(form)].second; }

static ArrayRef<Attribute> recorded(func::FuncOp kernel, StringRef name) {
  auto all = kernel->getAttrOfType<ArrayAttr>(name);
  return all ? all.getValue() : ArrayRef<Attribute>();
}

/// Appends an entry unless it is there: several phases may have the same rejected form.
static void append(func::FuncOp kernel, StringRef name, const NamedAttrList &fields) {
  Attribute entry = fields.getDictionary(kernel.getContext());
  SmallVector<Attribute> all = llvm::to_vector(recorded(kernel, name));
  if (!llvm::is_contained(all, entry))
    all.push_back(entry);
  kernel->setAttr(name, ArrayAttr::get(kernel.getContext(), all));
}

static NamedAttrList fieldsOf(func::FuncOp kernel, KernelForm form) {
  NamedAttrList fields;
  fields.set(formKey, StringAttr::get(kernel.getContext(), nameOf(form)));
  return fields;
}

void recordForm(func::FuncOp kernel, StringRef phase, KernelForm form, ArrayRef<Choice> choices) {
  NamedAttrList fields = fieldsOf(kernel, form);
  fields.set(phaseKey, StringAttr::get(kernel.getContext(), phase));
  for (const Choice &choice : choices)
    fields.set(choice.key, attributeOf(kernel.getContext(), choice));
  append(kernel, formsAttrName, fields);
}

void recordRefusal(func::FuncOp kernel, KernelForm form, const Verdict &verdict) {
  if (verdict)
    return;
  NamedAttrList fields = fieldsOf(kernel, form);
  fields.set(reasonKey, StringAttr::get(kernel.getContext(), verdict.reason));
  append(kernel, refusedAttrName, fields);
}

static std::string textOf(Attribute dictionary, StringRef key) {
  return cast<DictionaryAttr>(dictionary).getAs<StringAttr>(key).getValue().str();
}

std::vector<RecordedForm> formsOf(func::FuncOp kernel) {
  std::vector<RecordedForm> all;
  for (Attribute entry : recorded(kernel, formsAttrName)) {
    RecordedForm &form = all.emplace_back(RecordedForm{textOf(entry, phaseKey), textOf(entry, formKey), {}});
    for (NamedAttribute field : cast<DictionaryAttr>(entry))
      if (field.getName() != phaseKey && field.getName() != formKey)
        form.choices.push_back(field);
  }
  return all;
}

std::vector<RefusedForm> refusedFormsOf(func::FuncOp kernel) {
  std::vector<RefusedForm> all;
  for (Attribute entry : recorded(kernel, refusedAttrName))
    all.push_back({textOf(entry, formKey), textOf(entry, reasonKey)});
  return all;
}

static std::string textOf(NamedAttribute choice) {
  return choice.getName().str() + " = " + *choiceText(choice.getValue());
}

void printForms(ArrayRef<func::FuncOp> kernels, raw_ostream &stream) {
  auto print = [&](StringRef function, const std::string &text) {
    stream << fmt::format("  {:<32} {}\n", function.str(), text);
  };
  stream << "on a device, variants of kernels, and variants left out:\n";
  for (func::FuncOp kernel : kernels) {
    for (const RecordedForm &form : formsOf(kernel)) {
      std::string text = form.form;
      for (NamedAttribute choice : form.choices)
        text += ", " + textOf(choice);
      print(form.phase, text);
    }
    for (const RefusedForm &refused : refusedFormsOf(kernel))
      print(kernel.getSymName(), "no " + refused.form + ": " + refused.reason);
  }
}

} // namespace attnc
