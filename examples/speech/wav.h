/* Reads sounds of 16-bit samples in one channel, and converts them to the sample rate of the networks. */
#ifndef WAV_H
#define WAV_H

#include <stdio.h>

enum { RATE = 8000, HOP = 100, BLOCK = 800 }; /* samples of a second, a hop and a block, as in features.attn */

/* The samples, from -1 to 1, of a WAV file at 8 kHz, padded with zeros to whole blocks. `blocks` is the number of
 * blocks. The caller frees the samples. The result is null if the file is not such a WAV file. */
float *wav_read(FILE *file, int *blocks);

#endif
