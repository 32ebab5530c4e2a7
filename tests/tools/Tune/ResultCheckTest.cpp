#include "tools/attnc/Tune/ResultCheck.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace attnc;
using testing::HasSubstr;
using testing::IsEmpty;

static HostTensor floats(std::vector<float> values) {
  HostTensor tensor(ATTN_F32, {int64_t(values.size())});
  std::copy(values.begin(), values.end(), tensor.floats());
  return tensor;
}

static HostTensor integers(std::vector<int32_t> values) {
  HostTensor tensor(ATTN_I32, {int64_t(values.size())});
  std::copy(values.begin(), values.end(), tensor.integers());
  return tensor;
}

static std::string difference(const HostTensor &expected, const HostTensor &found, Allowance allowance = {}) {
  return differenceOf("y", expected, found, allowance);
}

TEST(ResultCheck, AllowsWhatRoundingMakes) {
  EXPECT_THAT(difference(floats({1000, 2, NAN, HUGE_VALF}), floats({1000.5F, 2.9F, NAN, HUGE_VALF})), IsEmpty());
}

TEST(ResultCheck, ComparesSmallElementsWithSmallOnes) {
  EXPECT_THAT(difference(floats({1e-6F, 2e-6F}), floats({0, 0})), HasSubstr("`y` differs by 2e-06 from the default's"));
  EXPECT_THAT(difference(floats({1e-6F, 2e-6F}), floats({1e-6F, 2.001e-6F})), IsEmpty());
}

TEST(ResultCheck, AllowsOtherRoundingOfWhatCancels) {
  EXPECT_THAT(difference(floats({1e-9F, -3e-9F}), floats({-2e-9F, 1e-9F}), {1e-3, 1e-8}), IsEmpty());
  EXPECT_THAT(difference(floats({1e-9F, -3e-9F}), floats({-2e-9F, 1e-7F}), {1e-3, 1e-8}), HasSubstr("`y`"));
}

TEST(ResultCheck, FindsElementsInTheWrongPlace) {
  EXPECT_THAT(difference(floats({1, 2, 3}), floats({1, 3, 2})), HasSubstr("`y` differs by 1 from the default's"));
  EXPECT_THAT(difference(floats({1, NAN}), floats({1, 0})), HasSubstr("`y`"));
  EXPECT_THAT(difference(floats({1, 0}), floats({1, NAN})), HasSubstr("`y`"));
  EXPECT_THAT(difference(floats({1, HUGE_VALF}), floats({1, -HUGE_VALF})), HasSubstr("`y`"));
}

TEST(ResultCheck, AllowsFewOtherIntegers) {
  std::vector<int32_t> values(200, 7), few(values), many(values);
  few[3] = few[9] = 8;
  many[3] = many[9] = many[100] = 8;
  EXPECT_THAT(difference(integers(values), integers(few)), IsEmpty());
  EXPECT_THAT(difference(integers(values), integers(many)), HasSubstr("3 of 200 elements"));
  EXPECT_THAT(difference(integers({7}), integers({8})), HasSubstr("1 of 1 elements"));
}
