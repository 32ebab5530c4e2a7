// Compares optimizers and schedules of the prelude with the algorithms of their papers in plain numbers. The loss is
// linear in its parameters, so that the inputs are the gradients.
#include "compiler/Derive/Derive.h"
#include "dialects/Model/Model.h"
#include "mlir/Pass/PassManager.h"
#include "tests/frontends/attn/Import/Imported.h"
#include <cmath>
#include <numbers>
#include <random>

using namespace attnc;

namespace {

using Numbers = std::vector<double>;

constexpr int64_t matrixRows = 2, matrixColumns = 3;

/// Parameters after each step: a matrix, a vector and a matrix tagged #no_decay.
struct Path {
  std::vector<Numbers> matrix, vector, exempt;
};

class Optimizers : public testing::Test {
protected:
  static constexpr int steps = 6;

  void SetUp() override {
    std::mt19937 random(11);
    std::normal_distribution<double> normal(0, 1);
    auto drawn = [&](size_t count) {
      Numbers numbers(count);
      for (double &number : numbers)
        number = normal(random);
      return numbers;
    };
    start = {{drawn(6)}, {drawn(3)}, {drawn(6)}};
    for (int step = 0; step < steps; ++step) {
      gradients.matrix.push_back(drawn(6));
      gradients.vector.push_back(drawn(3));
      gradients.exempt.push_back(drawn(6));
    }
  }

  /// Returns the path of `minimize` on the oracle.
  Path train(const std::string &with) {
    Imported imported("use optim\n"
                      "model M {\n"
                      "  matrix: f32[2, 3] = zeros\n  vector: f32[3] = zeros\n"
                      "  exempt: f32[2, 3] = zeros #no_decay\n"
                      "  fn loss(a: f32[2, 3], b: f32[3], c: f32[2, 3]) -> f32 {\n"
                      "    sum(a * matrix) + sum(b * vector) + sum(c * exempt)\n  }\n}\n"
                      "export f = minimize(loss, with: " +
                      with + ")\n");
    if (!imported.module)
      return {};
    mlir::PassManager passes(imported.context.get());
    buildDerivePipeline(passes);
    EXPECT_TRUE(succeeded(passes.run(*imported.module)));
    auto function = imported.module->lookupSymbol<mlir::func::FuncOp>("f");
    Parameters parameters;
    for (auto parameter : imported.module->getOps<mlir::model::ParameterOp>()) {
      auto type = mlir::cast<mlir::RankedTensorType>(parameter.getType());
      parameters[parameter.getCheckpointName({})] =
          Array(type.getElementType().isF32() ? Element::F32 : Element::I32, type.getShape());
    }
    parameters["matrix"].values = start.matrix[0];
    parameters["vector"].values = start.vector[0];
    parameters["exempt"].values = start.exempt[0];
    Path path;
    for (int step = 0; step < steps; ++step) {
      Parameters updates;
      auto given = [&](llvm::ArrayRef<int64_t> shape, const Numbers &numbers) {
        Array array(Element::F32, shape);
        array.values = numbers;
        return array;
      };
      auto results = interpret(function,
                               {given({matrixRows, matrixColumns}, gradients.matrix[step]),
                                given({matrixColumns}, gradients.vector[step]),
                                given({matrixRows, matrixColumns}, gradients.exempt[step])},
                               parameters, &updates);
      EXPECT_TRUE(bool(results)) << (results ? "" : llvm::toString(results.takeError()));
      for (auto &[name, value] : updates)
        parameters[name] = value;
      path.matrix.push_back(parameters["matrix"].values);
      path.vector.push_back(parameters["vector"].values);
      path.exempt.push_back(parameters["exempt"].values);
    }
    return path;
  }

  /// Compares the paths with `rule(p, g, t)`, which updates one element p; `make` returns a rule for each element.
  template <typename Make> void expectElements(const std::string &with, Make &&make) {
    Path path = train(with);
    ASSERT_EQ(path.matrix.size(), size_t(steps));
    auto expect = [&](const std::vector<Numbers> &found, const Numbers &from, const std::vector<Numbers> &slopes,
                      bool decays) {
      for (size_t element = 0; element < from.size(); ++element) {
        auto rule = make(decays);
        double p = from[element];
        for (int step = 0; step < steps; ++step) {
          rule(p, slopes[step][element], step + 1);
          ASSERT_NEAR(found[step][element], p, 2e-6) << with << ", step " << step + 1 << ", element " << element;
        }
      }
    };
    expect(path.matrix, start.matrix[0], gradients.matrix, true);
    expect(path.vector, start.vector[0], gradients.vector, false);
    expect(path.exempt, start.exempt[0], gradients.exempt, false);
  }

  /// Returns the learning rates of a schedule's steps: the change of a parameter with gradient 1.
  Numbers ratesOf(const std::string &schedule) {
    for (Numbers &slopes : gradients.vector)
      slopes.assign(3, 1.0);
    Path path = train("optim.sgd(lr: " + schedule + ")");
    Numbers rates;
    double before = start.vector[0][0];
    for (const Numbers &after : path.vector) {
      rates.push_back(before - after[0]);
      before = after[0];
    }
    return rates;
  }

  Path start, gradients;
};

TEST_F(Optimizers, SgdMovesByAVelocity) {
  expectElements("optim.sgd(lr: 0.1, momentum: 0.9)",
                 [](bool) { return [v = 0.0](double &p, double g, int) mutable { p += v = 0.9 * v - 0.1 * g; }; });
}

/// Sutskever et al. 2013, equations 3 and 4: the gradient is taken at the point that the velocity leads to, which is
/// also the stored parameter.
TEST_F(Optimizers, NesterovLooksAhead) {
  expectElements("optim.sgd(lr: 0.1, momentum: 0.9, nesterov: true)", [](bool) {
    return [v = 0.0](double &p, double g, int) mutable {
      double behind = p - 0.9 * v;
      v = 0.9 * v - 0.1 * g;
      p = behind + v + 0.9 * v;
    };
  });
}

/// Weight decay is added to the gradients of parameters that are not tagged.
TEST_F(Optimizers, SgdDecays) {
  Path path = train("optim.sgd(lr: 0.1, decay: 0.5)");
  EXPECT_NEAR(path.matrix[0][1], start.matrix[0][1] - 0.1 * (gradients.matrix[0][1] + 0.5 * start.matrix[0][1]), 1e-6);
  EXPECT_NEAR(path.vector[0][1], start.vector[0][1] - 0.1 * (gradients.vector[0][1] + 0.5 * start.vector[0][1]), 1e-6);
  EXPECT_NEAR(path.exempt[0][1], start.exempt[0][1] - 0.1 * gradients.exempt[0][1], 1e-6);
}

/// Kingma, Ba 2015, algorithm 1; Loshchilov, Hutter 2019, algorithm 2, where `decay` is not 0.
auto adam(double rate, double decay) {
  return [=](bool decays) {
    return [=, m = 0.0, v = 0.0](double &p, double g, int t) mutable {
      m = 0.9 * m + 0.1 * g;
      v = 0.999 * v + 0.001 * g * g;
      double mean = m / (1 - std::pow(0.9, t)), square = v / (1 - std::pow(0.999, t));
      p -= rate * (mean / (std::sqrt(square) + 1e-8) + (decays ? decay * p : 0));
    };
  };
}

TEST_F(Optimizers, Adam) { expectElements("optim.adam(lr: 0.01)", adam(0.01, 0)); }

TEST_F(Optimizers, AdamWDecaysMatricesBesideTheStep) {
  expectElements("optim.adamw(lr: 0.01, decay: 0.3)", adam(0.01, 0.3));
}

/// Chen et al. 2023, algorithm 2.
TEST_F(Optimizers, Lion) {
  expectElements("optim.lion(lr: 0.01, decay: 0.3)", [](bool decays) {
    return [=, m = 0.0](double &p, double g, int) mutable {
      double mixed = 0.9 * m + 0.1 * g;
      p -= 0.01 * ((mixed > 0 ? 1 : -1) + (decays ? 0.3 * p : 0));
      m = 0.99 * m + 0.01 * g;
    };
  });
}

/// Shazeer, Stern 2018, algorithm 4, with sums of rows and columns, and algorithm 5 for vectors; the step is clipped to
/// a root mean square of 1.
TEST_F(Optimizers, Adafactor) {
  Path path = train("optim.adafactor(lr: 0.01)");
  ASSERT_EQ(path.matrix.size(), size_t(steps));
  Numbers matrix = start.matrix[0], vector = start.vector[0], rows(matrixRows), columns(matrixColumns), squares(3);
  auto clip = [](Numbers &step) {
    double sum = 0;
    for (double element : step)
      sum += element * element;
    double size = std::sqrt(sum / double(step.size()));
    for (double &element : step)
      element /= std::max(1.0, size);
  };
  for (int step = 0; step < steps; ++step) {
    double beta = 1 - std::pow(step + 1, -0.8);
    const Numbers &g = gradients.matrix[step], &h = gradients.vector[step];
    Numbers rowSums(matrixRows), columnSums(matrixColumns), move(6), moved(3);
    for (int64_t place = 0; place < matrixRows * matrixColumns; ++place) {
      rowSums[place / matrixColumns] += g[place] * g[place];
      columnSums[place % matrixColumns] += g[place] * g[place];
    }
    double total = 0;
    for (int64_t row = 0; row < matrixRows; ++row)
      total += rows[row] = beta * rows[row] + (1 - beta) * rowSums[row];
    for (int64_t column = 0; column < matrixColumns; ++column)
      columns[column] = beta * columns[column] + (1 - beta) * columnSums[column];
    for (int64_t place = 0; place < matrixRows * matrixColumns; ++place)
      move[place] = g[place] / std::sqrt(rows[place / matrixColumns] * columns[place % matrixColumns] / total);
    for (size_t place = 0; place < 3; ++place) {
      squares[place] = beta * squares[place] + (1 - beta) * h[place] * h[place];
      moved[place] = h[place] / std::sqrt(squares[place]);
    }
    clip(move);
    clip(moved);
    for (size_t place = 0; place < matrix.size(); ++place)
      ASSERT_NEAR(path.matrix[step][place], matrix[place] -= 0.01 * move[place], 2e-6) << "step " << step + 1;
    for (size_t place = 0; place < vector.size(); ++place)
      ASSERT_NEAR(path.vector[step][place], vector[place] -= 0.01 * moved[place], 2e-6) << "step " << step + 1;
  }
}

/// Clipping scales all gradients by the same factor, so that their global norm is at most the limit.
TEST_F(Optimizers, ClipByTheNormOfAllGradients) {
  double sum = 0;
  for (const Numbers &slopes : {gradients.matrix[0], gradients.vector[0], gradients.exempt[0]})
    for (double slope : slopes)
      sum += slope * slope;
  ASSERT_GT(sum, 1);
  Path path = train("optim.sgd(lr: 0.1), clip_norm: 0.5");
  double scale = 0.5 / std::sqrt(sum);
  EXPECT_NEAR(path.matrix[0][2], start.matrix[0][2] - 0.1 * scale * gradients.matrix[0][2], 1e-6);
  EXPECT_NEAR(path.vector[0][2], start.vector[0][2] - 0.1 * scale * gradients.vector[0][2], 1e-6);
}

TEST_F(Optimizers, WarmUp) { EXPECT_THAT(ratesOf("optim.warmup(0.4, 4)"), are({0.1, 0.2, 0.3, 0.4, 0.4, 0.4})); }

TEST_F(Optimizers, WarmUpAndCosine) {
  auto cosine = [](double share) { return 0.1 + 0.5 * 0.3 * (1 + std::cos(std::numbers::pi * share)); };
  EXPECT_THAT(ratesOf("optim.warmup_cosine(0.4, 2, 5, least: 0.1)"),
              are({0.2, 0.4, cosine(1.0 / 3), cosine(2.0 / 3), 0.1, 0.1}));
  EXPECT_THAT(ratesOf("optim.warmup_cosine(0.4, 4, 4, least: 0.1)"), are({0.1, 0.2, 0.3, 0.4, 0.1, 0.1}));
}

TEST_F(Optimizers, StepDecay) {
  EXPECT_THAT(ratesOf("optim.step_decay(0.8, 0.5, 2)"), are({0.8, 0.8, 0.4, 0.4, 0.2, 0.2}));
}

} // namespace
