#include "half.v2.h"
#include "twice.h"

int main(void) {
  float x[3] = {1, 2, 3}, y[3] = {0}, z[3] = {0};
  attn_context context = {0};
  attn_status status;
  return twice_twice(&context, 3, x, y, &status) == ATTN_OK && y[2] == 9 &&
                 half_v2_half(&context, 3, y, z, &status) == ATTN_OK && z[2] == 4.5f
             ? 0
             : 1;
}
