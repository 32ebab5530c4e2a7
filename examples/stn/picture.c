/* Draws a picture of held-out scenes, with the input of the classifier below each.
 *
 *   stn-picture SCENES.safetensors SEEN.safetensors OUT.png      both hold one tensor, f32[n, 24, 24]
 */
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 24, COLUMNS = 12, ZOOM = 3, BORDER = 2, CELL = SIDE * ZOOM + BORDER };

static uint8_t picture[2 * CELL][COLUMNS * CELL];

static void fail(const char *path, const char *why) {
  fprintf(stderr, "%s: %s\n", path, why);
  exit(1);
}

/* Draws the last COLUMNS images of a file side by side, as one row of the picture. */
static void draw(const char *path, int row) {
  static float images[COLUMNS][SIDE][SIDE];
  FILE *file = fopen(path, "rb");
  if (!file) fail(path, "cannot be opened");
  if (fseek(file, -(long)sizeof images, SEEK_END) || fread(images, sizeof images, 1, file) != 1)
    fail(path, "expected 12 images of 24 x 24 at its end");
  fclose(file);
  for (int column = 0; column < COLUMNS; ++column)
    for (int y = 0; y < SIDE * ZOOM; ++y)
      for (int x = 0; x < SIDE * ZOOM; ++x) {
        float pixel = images[column][y / ZOOM][x / ZOOM];
        picture[row * CELL + y][column * CELL + x] = (uint8_t)(255 * (pixel < 0 ? 0 : pixel > 1 ? 1 : pixel));
      }
}

int main(int count, char **arguments) {
  if (count != 4) fail("usage", "stn-picture SCENES.safetensors SEEN.safetensors OUT.png");
  for (int y = 0; y < 2 * CELL; ++y)
    for (int x = 0; x < COLUMNS * CELL; ++x) picture[y][x] = 128;
  draw(arguments[1], 0);
  draw(arguments[2], 1);
  if (!stbi_write_png(arguments[3], COLUMNS * CELL, 2 * CELL, 1, picture, COLUMNS * CELL))
    fail(arguments[3], "cannot be written");
  return 0;
}
