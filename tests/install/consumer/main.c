#include "twice.h"

int main(void) {
  float x[3] = {1, 2, 3}, y[3] = {0};
  attn_context context = {0};
  attn_status status;
  return twice_twice(&context, 3, x, y, &status) == ATTN_OK && y[2] == 9 ? 0 : 1;
}
