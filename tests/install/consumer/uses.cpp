// A C++ program that links a library of models.
#include "other.h"
#include "twice.h"

int main() {
  float x[3] = {1, 2, 3}, y[3] = {0}, z[3] = {0};
  attn_context context = {};
  attn_status status;
  return twice_twice(&context, 3, x, y, &status) == ATTN_OK && y[2] == 9 &&
                 other_twice(&context, 3, x, z, &status) == ATTN_OK && z[2] == 6
             ? 0
             : 1;
}
