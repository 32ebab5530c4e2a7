/* Reader of compiled gettext catalogues (.mo), whose messages and translations are data of examples. */
#ifndef CATALOGUE_H
#define CATALOGUE_H

#include <stdint.h>
#include <stdio.h>

/* Prints "PATH: WHY" to standard error and ends the program with exit code 1. */
_Noreturn void fail(const char *path, const char *why);

/* Calls `visit` for each message of the catalogue at `path`, in the order of the file, with its translation. Both texts
 * are zero-terminated, in the encoding of the catalogue, and remain valid until the program ends. Returns 1, or 0 if
 * the file does not exist. Other errors, such as a damaged file or another byte order, end the program by fail(). */
int read_catalogue(const char *path, void (*visit)(const char *message, const char *translation));

/* FNV-1a hash (Fowler, Noll, Vo) of a zero-terminated text, with the finaliser of MurmurHash3. An order by this hash
 * looks random, and is the same on every machine. */
uint64_t hash_of(const char *text);

/* Opens the file FOLDER/FILE for writing, emptied. The caller closes it. An error ends the program by fail(). */
FILE *create(const char *folder, const char *file);

#endif
