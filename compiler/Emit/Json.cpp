#include "compiler/Emit/Json.h"
#include "attn/processor.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "compiler/Codegen/Schedule/KernelForms.h"
#include "compiler/ElementTypes/ElementType.h"
#include "compiler/Emit/Signature.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace mlir;

namespace attnc {

namespace {

void writeTexts(llvm::json::OStream &json, llvm::StringRef key, ArrayRef<std::string> values) {
  json.attributeArray(key, [&] {
    for (const std::string &value : values)
      json.value(value);
  });
}

void writeNumbers(llvm::json::OStream &json, llvm::StringRef key, ArrayRef<int64_t> values) {
  json.attributeArray(key, [&] {
    for (int64_t value : values)
      json.value(value);
  });
}

/// A number, or the text "inf", "-inf" or "nan", which JSON has no numbers for.
llvm::json::Value numberOrText(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

void writeEntry(llvm::json::OStream &json, const EntryPlan &plan, const EntryCertificate &certificate) {
  Signature signature = signatureOf(plan);
  json.object([&] {
    json.attribute("name", signature.name);
    if (!signature.doc.empty())
      json.attribute("doc", signature.doc);
    json.attributeArray("dimensions", [&] {
      for (const SignatureDimension &dimension : signature.dimensions)
        json.object([&] {
          json.attribute("name", dimension.name);
          if (dimension.min > 0)
            json.attribute("min", dimension.min);
          if (dimension.max >= 0)
            json.attribute("max", dimension.max);
        });
    });
    for (bool results : {false, true})
      json.attributeArray(results ? "results" : "inputs", [&] {
        for (const SignatureTensor &tensor : signature.tensors)
          if (tensor.isResult == results)
            json.object([&] {
              json.attribute("name", tensor.name);
              json.attribute("element", elementTypeName(tensor.element));
              writeTexts(json, "shape", tensor.shapeText);
              if (!tensor.isResult)
                json.attribute("state", tensor.isState);
            });
      });
    if (signature.isAppendedTo) {
      json.attribute("state_bytes", signature.stateBytes.text(plan.sizes.names));
      if (signature.takeBack)
        json.attribute("take_back", *signature.takeBack);
    }
    json.attribute("arena_bytes", plan.arenaBytes.text(plan.symbols));
    json.attributeArray("slots", [&] {
      for (const Slot &slot : plan.slots)
        if (!slot.within)
          json.value(slot.bytes.text(plan.symbols));
    });
    json.attribute("largest_intermediate", certificate.largestIntermediate.text(plan.symbols));
    json.attributeArray("all_pairs", [&] {
      for (const EntryCertificate::AllPairsStorage &storage : certificate.allPairs)
        json.object([&] {
          json.attribute("kernel", storage.kernel);
          json.attribute("bytes", storage.bytes.text(plan.symbols));
        });
    });
  });
}

void writeParameter(llvm::json::OStream &json, const LoadedParameter &parameter) {
  model::ParameterOp op = parameter.op;
  auto type = cast<RankedTensorType>(op.getType());
  json.object([&] {
    json.attribute("name", op.getSymName());
    json.attribute("checkpoint", op.getCheckpoint());
    json.attribute("element", elementTypeName(*elementTypeOf(type.getElementType())));
    writeNumbers(json, "shape", type.getShape());
    writeNumbers(json, "counts", op.getCounts());
    json.attributeObject("initialiser", [&] {
      json.attribute("kind", op.getInitialiser().getKind().getValue());
      json.attribute("a", numberOrText(op.getInitialiser().getA().getValueAsDouble()));
      json.attribute("b", numberOrText(op.getInitialiser().getB().getValueAsDouble()));
    });
    json.attribute("frozen", op.getFrozen());
    json.attribute("state", op.getState());
    json.attribute("first", parameter.first);
  });
}

void writeResources(llvm::json::OStream &json, const PhaseResources &resources) {
  auto known = [&](llvm::StringRef key, std::optional<int64_t> number) {
    json.attribute(key, number ? llvm::json::Value(*number) : llvm::json::Value(nullptr));
  };
  auto writeAssembled = [&](llvm::StringRef key, int64_t FunctionResources::*number) {
    known(key, resources.assembled ? std::optional((*resources.assembled).*number) : std::nullopt);
  };
  json.object([&] {
    json.attribute("phase", resources.phase);
    json.attribute("architecture", resources.architecture);
    json.attribute("threads", resources.threads);
    json.attribute("shared_bytes", resources.staticBytes);
    json.attribute("launch_shared_bytes", resources.launchBytes);
    writeAssembled("registers", &FunctionResources::registers);
    writeAssembled("stack_bytes", &FunctionResources::stackBytes);
    writeAssembled("spill_bytes", &FunctionResources::spillBytes);
    known("blocks_at_a_time", resources.blocks);
  });
}

void writeChoices(llvm::json::OStream &json, ArrayRef<NamedAttribute> choices) {
  for (NamedAttribute choice : choices) {
    if (auto number = dyn_cast<IntegerAttr>(choice.getValue()))
      json.attribute(choice.getName(), number.getInt());
    else
      json.attribute(choice.getName(), cast<StringAttr>(choice.getValue()).getValue());
  }
}

void writeKernel(llvm::json::OStream &json, const CompiledKernel &kernel, ArrayRef<PhaseResources> resources) {
  func::FuncOp function = kernel.function;
  json.object([&] {
    json.attribute("name", function.getName());
    json.attribute("kind", function->getAttrOfType<StringAttr>(kernelAttrName).getValue());
    json.attribute("emitter", kernel.emitter);
    double gain = 0;
    auto tuned = function->getAttrOfType<StringAttr>(tunedAttrName);
    bool isTuned = tuned && !tuned.getValue().getAsDouble(gain);
    json.attribute("tuned", isTuned ? llvm::json::Value(gain) : llvm::json::Value(nullptr));
    json.attributeObject("schedule", [&] { writeChoices(json, chosenSchedule(function)); });
    json.attributeArray("forms", [&] {
      for (const RecordedForm &form : formsOf(function))
        json.object([&] {
          json.attribute("phase", form.phase);
          json.attribute("form", form.form);
          writeChoices(json, form.choices);
        });
    });
    json.attributeArray("refused_forms", [&] {
      for (const RefusedForm &refused : refusedFormsOf(function))
        json.object([&] {
          json.attribute("form", refused.form);
          json.attribute("reason", refused.reason);
        });
    });
    json.attributeArray("phases", [&] {
      for (const KernelPhase &phase : kernel.code.phases)
        json.value(phase.symbol);
    });
    json.attributeArray("resources", [&] {
      for (const PhaseResources &each : resources)
        if (each.kernel == function.getName())
          writeResources(json, each);
    });
    json.attributeArray("launches", [&] {
      for (const KernelLaunch &launch : kernel.launches)
        json.object([&] {
          json.attribute("entry", launch.entry);
          json.attribute("times", launch.times.text(launch.symbols));
          json.attribute("flops", launch.flops.text(launch.symbols));
          json.attribute("bytes_read", launch.bytesRead.text(launch.symbols));
          json.attribute("bytes_written", launch.bytesWritten.text(launch.symbols));
          json.attribute("largest_intermediate", launch.largestIntermediate.text(launch.symbols));
          json.attribute("holds_all_pairs", launch.holdsAllPairs);
        });
    });
  });
}

} // namespace

std::string jsonText(const Program &program, llvm::StringRef source, ArrayRef<PhaseResources> resources) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  json.object([&] {
    json.attribute("model", program.prefix);
    json.attribute("source", source);
    json.attribute("target", program.targetName);
    json.attributeArray("features", [&] {
      for (int number = 0; number < 64; ++number)
        if (program.features >> number & 1)
          json.value(attn_processor_feature_name(number));
    });
    json.attributeArray("entries", [&] {
      for (auto [plan, certificate] : llvm::zip_equal(program.entries, program.certificates))
        writeEntry(json, plan, certificate);
    });
    json.attributeArray("parameters", [&] {
      for (const LoadedParameter &parameter : program.parameters.loaded)
        writeParameter(json, parameter);
    });
    json.attributeArray("packed", [&] {
      for (const PackedParameter &packed : program.parameters.packed)
        json.object([&] {
          json.attribute("parameter", model::ParameterOp(program.parameters.loaded[packed.parameter].op).getSymName());
          json.attribute("count", packed.count);
          json.attribute("bytes", packed.bytes);
        });
    });
    json.attributeArray("kernels", [&] {
      for (const CompiledKernel &kernel : program.kernels)
        writeKernel(json, kernel, resources);
    });
  });
  stream << "\n";
  return text;
}

} // namespace attnc
