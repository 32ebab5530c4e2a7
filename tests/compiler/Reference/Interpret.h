// Interprets MLIR text by the oracle, and compares and creates arrays of the oracle.
#pragma once

#include "compiler/Reference/Reference.h"
#include "tests/support/ParsedModule.h"
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace attnc::reference {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

// Arrays with row-major `values` as f32 or i32, and scalars of type index and f32.
inline Array floats(std::initializer_list<int64_t> shape, std::vector<double> values) {
  return Array(Element::F32, llvm::ArrayRef<int64_t>(shape.begin(), shape.end()), std::move(values));
}
inline Array integers(std::initializer_list<int64_t> shape, std::vector<double> values) {
  return Array(Element::I32, llvm::ArrayRef<int64_t>(shape.begin(), shape.end()), std::move(values));
}
inline Array index(int64_t value) { return Array::scalar(Element::Index, value); }
inline Array number(double value) { return Array::scalar(Element::F32, value); }

/// Returns the results of the function @f of the module `text`. A failure fails the test and returns four empty arrays.
inline std::vector<Array> interpretText(llvm::StringRef text, llvm::ArrayRef<Array> inputs,
                                        const Parameters &parameters = {}) {
  ParsedModule module(text);
  EXPECT_TRUE(module) << module.diagnostics();
  if (!module)
    return std::vector<Array>(4);
  auto results = interpret(module.function("f"), inputs, parameters);
  if (results)
    return *results;
  ADD_FAILURE() << llvm::toString(results.takeError());
  return std::vector<Array>(4);
}

/// Returns the oracle's error for @f of the module `text`; empty if it runs. A text that does not parse fails the test.
inline std::string errorOf(llvm::StringRef text, llvm::ArrayRef<Array> inputs, const Parameters &parameters = {}) {
  ParsedModule module(text);
  EXPECT_TRUE(module) << module.diagnostics();
  auto results = module ? interpret(module.function("f"), inputs, parameters) : std::vector<Array>();
  return results ? "" : llvm::toString(results.takeError());
}

/// Expects an array of this shape with these row-major values; NaN equals NaN.
inline void expectArray(const Array &found, llvm::ArrayRef<int64_t> shape, const std::vector<double> &values) {
  EXPECT_EQ(llvm::ArrayRef<int64_t>(found.shape), shape);
  EXPECT_THAT(found.values, testing::Pointwise(testing::NanSensitiveDoubleEq(), values));
}

} // namespace attnc::reference
