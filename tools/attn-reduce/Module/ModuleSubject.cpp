#include "tools/attn-reduce/Module/ModuleSubject.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace attnc::reduce {

std::vector<Operation *> opsOf(ModuleOp module) {
  std::vector<Operation *> ops;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  return ops;
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text + "\n";
}

namespace {

/// Changes of a module, applied to a copy of it.
class AllModuleChanges : public Changes {
public:
  AllModuleChanges(OwningOpRef<ModuleOp> parsed, std::vector<ModuleChange> (*find)(ModuleOp))
      : module(std::move(parsed)) {
    if (module)
      changes = find(*module);
  }
  size_t count() const override { return changes.size(); }
  std::optional<std::string> apply(std::span<const size_t> chosen) const override {
    OwningOpRef<ModuleOp> copy(module->clone());
    std::vector<Operation *> ops = opsOf(*copy);
    bool isChanged = false;
    for (size_t each : chosen)
      isChanged |= changes[each](*copy, ops);
    if (!isChanged || failed(verify(*copy)))
      return std::nullopt;
    return print(*copy);
  }

private:
  mutable OwningOpRef<ModuleOp> module; // cloning is not const
  std::vector<ModuleChange> changes;
};

} // namespace

ModuleSubject::ModuleSubject() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<attn::AttnDialect, model::ModelDialect>();
  context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  // Diagnostics of invalid candidates are discarded.
  context->getDiagEngine().registerHandler([](mlir::Diagnostic &) { return success(); });
  add("print it again", false,
      [](ModuleOp) { return std::vector<ModuleChange>{[](ModuleOp, MutableArrayRef<Operation *>) { return true; }}; });
  add("drop functions", true, dropSymbols);
  add("replace results", true, replaceResults);
  add("drop unused ops", true, dropUnused);
  add("unwrap regions", false, unwrapRegions);
  add("drop arguments and results", true, dropSignatures);
  add("drop attributes", true, dropAttributes);
  add("shrink dimensions", false, shrinkDimensions);
}

void ModuleSubject::add(std::string name, bool inGroups, std::vector<ModuleChange> (*find)(ModuleOp)) {
  list.push_back({std::move(name), inGroups, [this, find](const std::string &text) -> std::unique_ptr<Changes> {
                    return std::make_unique<AllModuleChanges>(parse(text), find);
                  }});
}

OwningOpRef<ModuleOp> ModuleSubject::parse(const std::string &text, const std::string &name,
                                           std::string *problem) const {
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
    if (problem && problem->empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error && place)
      *problem = llvm::formatv("{0}:{1}:{2}: {3}", name, place.getLine(), place.getColumn(), diagnostic.str());
    return success();
  });
  return parseSourceString<ModuleOp>(text, context.get(), name);
}

/// A constant counts less than other ops, as constants replace computations.
static int64_t partsOf(Operation *op) {
  int64_t parts = op->hasTrait<OpTrait::ConstantLike>() ? 1 : 4;
  parts += int64_t(op->getNumOperands()) + int64_t(llvm::range_size(op->getDiscardableAttrs()));
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    parts += int64_t(function.getNumArguments() + function.getNumResults());
    for (ArrayAttr attributes : {function.getAllArgAttrs(), function.getAllResultAttrs()})
      for (Attribute each : attributes ? attributes.getValue() : ArrayRef<Attribute>())
        parts += int64_t(cast<DictionaryAttr>(each).size());
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      parts += block.getNumArguments();
  return parts;
}

static int64_t magnitudeOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  int64_t sum = 0;
  if (shaped && shaped.hasRank())
    for (int64_t size : shaped.getShape())
      sum += ShapedType::isDynamic(size) ? 0 : size;
  return sum;
}

Size ModuleSubject::sizeOf(const std::string &text) const {
  OwningOpRef<ModuleOp> module = parse(text);
  Size size;
  size.rough = !module || print(*module) != text;
  if (!module)
    return size;
  module->walk([&](Operation *op) {
    size.parts += partsOf(op);
    for (Type type : op->getResultTypes())
      size.magnitude += magnitudeOf(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          size.magnitude += magnitudeOf(type);
  });
  return size;
}

} // namespace attnc::reduce
