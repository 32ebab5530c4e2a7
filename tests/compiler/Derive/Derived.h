// Compares derived gradients with central differences of the forward function. The oracle interprets both.
#pragma once

#include "compiler/Derive/Gradient.h"
#include "compiler/Derive/SegmentScans.h"
#include "mlir/IR/Verifier.h"
#include "tests/frontends/attn/Import/Imported.h"
#include <random>

namespace attnc {

/// A program whose entry point `f` returns a number (the loss), with values for its inputs and parameters. Failures
/// fail the test.
class Derived {
public:
  /// Imports the program `text` and derives the gradients of `f`, with scans in segments of `segment` time steps; 0: in
  /// one segment. Parameters are random.
  Derived(const std::string &text, std::vector<Array> inputs, int64_t segment = 0)
      : imported(text), inputs(std::move(inputs)), segment(segment) {
    if (!imported.module)
      return;
    forward = imported.module->lookupSymbol<mlir::func::FuncOp>("f");
    for (auto parameter : imported.module->getOps<mlir::model::ParameterOp>())
      addParameter(parameter);
    append();
  }

  /// Returns the number, then its gradients with respect to each f32 input, then to each parameter, at the inputs `at`;
  /// empty on a failure.
  std::vector<Array> gradients(const std::vector<Array> &at) {
    auto found = interpret(backward, at, parameters);
    EXPECT_TRUE(bool(found)) << (found ? "" : llvm::toString(found.takeError()));
    return found ? *found : std::vector<Array>();
  }
  std::vector<Array> gradients() { return gradients(inputs); }

  /// Returns the number of ops of a kind in the program and its gradients.
  template <typename Op> unsigned count() {
    unsigned found = 0;
    backward.walk([&](Op) { ++found; });
    return found;
  }

  /// Expects that each gradient equals the central difference of the loss, within 1e-6 of the largest gradient.
  /// Compares all elements of small tensors, and about 20 of each large one.
  void expectDifferences() {
    ASSERT_TRUE(backward);
    auto found = interpret(backward, inputs, parameters);
    ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
    for (const Array &gradient : *found)
      for (double element : gradient.values)
        largest = std::max(largest, std::abs(element));
    ASSERT_GT(largest, 0);
    size_t next = 1;
    for (auto [number, argument] : llvm::enumerate(forward.getArguments()))
      if (isReal(argument))
        expectOf(inputs[number], (*found)[next++], {}, "input " + std::to_string(number));
    for (auto parameter : imported.module->getOps<mlir::model::ParameterOp>()) {
      auto counts = parameter.getCounts();
      const Array &gradient = (*found)[next++];
      auto visit = [&](llvm::ArrayRef<int64_t> index) {
        std::string name = parameter.getCheckpointName(index);
        expectOf(parameters[name], gradient, index, name);
        return mlir::success();
      };
      (void)forEachIndex(counts, visit);
    }
  }

private:
  static bool isReal(mlir::Value value) {
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
    return type && type.getElementType().isF32();
  }

  void addParameter(mlir::model::ParameterOp parameter) {
    auto type = mlir::cast<mlir::RankedTensorType>(parameter.getType());
    auto visit = [&](llvm::ArrayRef<int64_t> index) {
      Array value(Element::F32, type.getShape());
      for (double &element : value.values)
        element = std::normal_distribution<double>(0, 0.5)(random);
      parameters[parameter.getCheckpointName(index)] = std::move(value);
      return mlir::success();
    };
    (void)forEachIndex(parameter.getCounts(), visit);
  }

  /// Adds @g, which is @f with the gradients of all inputs and parameters among its results.
  void append() {
    auto copy = forward.clone();
    copy.setName("g");
    imported.module->push_back(copy);
    if (segment > 0)
      segmentScans(copy, std::vector<int64_t>(8, segment));
    auto terminator = copy.getBody().front().getTerminator();
    GradientRequest request;
    request.function = copy;
    request.loss = terminator->getOperand(0);
    for (mlir::BlockArgument argument : copy.getArguments())
      if (isReal(argument))
        request.arguments.push_back(argument);
    for (auto parameter : imported.module->getOps<mlir::model::ParameterOp>())
      request.parameters.push_back(parameter);
    auto gradients = appendGradients(request);
    ASSERT_TRUE(succeeded(gradients));
    for (const auto &list : {gradients->arguments, gradients->parameters})
      for (mlir::Value gradient : list) {
        (void)copy.insertResult(copy.getNumResults(), gradient.getType(), {});
        terminator->insertOperands(terminator->getNumOperands(), gradient);
      }
    ASSERT_TRUE(succeeded(mlir::verify(*imported.module)));
    backward = copy;
  }

  double loss() {
    auto found = interpret(forward, inputs, parameters);
    EXPECT_TRUE(bool(found));
    return found ? found->front().values[0] : 0;
  }

  /// Compares `gradient` at the leading indices with the derivatives of `value`.
  void expectOf(Array &value, const Array &gradient, llvm::ArrayRef<int64_t> leading, const std::string &name) {
    int64_t offset = 0;
    for (auto [index, size] : llvm::zip(leading, gradient.shape))
      offset = offset * size + index;
    size_t stride = std::max<size_t>(1, value.values.size() / 20);
    for (size_t element = 0; element < value.values.size(); element += stride) {
      double &x = value.values[element], at = x, step = 1e-5;
      x = at + step;
      double above = loss();
      x = at - step;
      double below = loss();
      x = at;
      EXPECT_NEAR(gradient.values[offset * value.values.size() + element], (above - below) / (2 * step), 1e-6 * largest)
          << name << ", element " << element;
    }
  }

  Imported imported;
  std::vector<Array> inputs;
  int64_t segment;
  Parameters parameters;
  mlir::func::FuncOp forward, backward;
  double largest = 0;
  std::mt19937 random{7};
};

/// An f32 array of standard normal numbers.
inline Array draw(std::initializer_list<int64_t> shape, unsigned seed = 1) {
  std::mt19937 random(seed);
  Array array(Element::F32, llvm::ArrayRef<int64_t>(shape.begin(), shape.end()));
  for (double &element : array.values)
    element = std::normal_distribution<double>(0, 1)(random);
  return array;
}

/// An i32 array of uniform integers from 0 to limit - 1.
inline Array drawBelow(int limit, std::initializer_list<int64_t> shape) {
  std::mt19937 random(3);
  Array array(Element::I32, llvm::ArrayRef<int64_t>(shape.begin(), shape.end()));
  for (double &element : array.values)
    element = std::uniform_int_distribution<int>(0, limit - 1)(random);
  return array;
}

} // namespace attnc
