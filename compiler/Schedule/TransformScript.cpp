#include "compiler/Schedule/TransformScript.h"
#include "compiler/Codegen/Interface/RequestedEmitter.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "compiler/Diagnostics/Spelling.h"
#include "compiler/Json/InputBuffer.h"
#include "mlir/Dialect/Linalg/TransformOps/DialectExtension.h"
#include "mlir/Dialect/Linalg/TransformOps/LinalgTransformOps.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include <fmt/format.h>

using namespace mlir;

namespace attnc {

bool isTransformScript(StringRef path) { return path.ends_with(".mlir"); }

static void loadTransforms(MLIRContext &context) {
  DialectRegistry registry;
  registry.insert<transform::TransformDialect>();
  linalg::registerTransformDialectExtension(registry);
  context.appendDialectRegistry(registry);
  context.getOrLoadDialect<transform::TransformDialect>();
}

/// Moves the script's annotations of a kernel to `overrides`. Fails if a schedule or emitter annotation is malformed.
static LogicalResult takeOverrides(func::FuncOp kernel, StringRef path, std::vector<Override> &overrides) {
  auto add = [&](StringRef key, Attribute value) {
    std::optional<std::string> text = choiceText(value);
    if (text)
      overrides.push_back({kernel.getName().str(), key.str(), *text, path.str()});
    return text.has_value();
  };
  if (Attribute emitter = kernel->removeAttr(emitterAttrName); emitter && !add("emitter", emitter))
    return failure();
  Attribute schedule = kernel->removeAttr(scheduleAttrName);
  auto choices = dyn_cast_or_null<DictionaryAttr>(schedule);
  if (!schedule)
    return success();
  return success(choices &&
                 llvm::all_of(choices, [&](NamedAttribute each) { return add(each.getName(), each.getValue()); }));
}

/// The error for a match of a function name that does not exist, which the transform interpreter accepts silently.
static std::string findUnknownName(ModuleOp script, ModuleOp module) {
  std::vector<std::string> names;
  for (auto function : module.getOps<func::FuncOp>())
    names.push_back(function.getName().str());
  std::string problem;
  script.walk([&](transform::MatchOp match) {
    auto attributes = match.getOpAttrs().value_or(DictionaryAttr());
    auto name = attributes ? attributes.getAs<StringAttr>(SymbolTable::getSymbolAttrName()) : StringAttr();
    if (!name || llvm::is_contained(names, name.str()))
      return WalkResult::advance();
    auto place = dyn_cast<FileLineColLoc>(match.getLoc());
    problem = fmt::format("{} the model has no kernel `{}`{}",
                          place ? fmt::format("{}:{}:", place.getLine(), place.getColumn()) : "", name.str(),
                          didYouMean(name.str(), names));
    return WalkResult::interrupt();
  });
  return problem;
}

static std::string printed(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

llvm::Expected<std::vector<Override>> runTransformScript(StringRef path, ModuleOp module) {
  MLIRContext &context = *module.getContext();
  loadTransforms(context);
  std::string reported;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
    if (reported.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      reported = (place ? fmt::format("{}:{}: ", place.getLine(), place.getColumn()) : "") + diagnostic.str();
    return success();
  });
  auto wrong = [&](const std::string &otherwise) {
    return llvm::createStringError(fmt::format("{}:{}", path.str(), reported.empty() ? " " + otherwise : reported));
  };
  auto file = readInputFile(path.str());
  if (!file)
    return llvm::createStringError(fmt::format("can't read {}: {}", path.str(), llvm::toString(file.takeError())));
  OwningOpRef<ModuleOp> script = parseSourceString<ModuleOp>((*file)->getBuffer(), &context, path);
  if (!script)
    return wrong("it can't be parsed");
  if (std::string problem = findUnknownName(*script, module); !problem.empty())
    return llvm::createStringError(fmt::format("{}:{}", path.str(), problem));
  transform::TransformOpInterface entry = transform::detail::findTransformEntryPoint(*script, ModuleOp());
  if (!entry)
    return llvm::createStringError(fmt::format("{}: it has no named sequence `@__transform_main`", path.str()));
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(transform::applyTransformNamedSequence(*copy, entry, ModuleOp(), transform::TransformOptions())))
    return wrong("it fails");
  std::vector<Override> overrides;
  for (auto kernel : copy->getOps<func::FuncOp>())
    if (isKernel(kernel) && failed(takeOverrides(kernel, path, overrides)))
      return wrong(fmt::format(
          "the annotation of kernel {} is neither a dictionary of numbers and words nor the name of an emitter",
          kernel.getName().str()));
  if (printed(*copy) != printed(module))
    return wrong("it changes more than `attn.schedule` and `attn.emitter` of kernels");
  return overrides;
}

} // namespace attnc
