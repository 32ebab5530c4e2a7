/* Messages of compiled gettext catalogues (.mo), for the data of examples. */
#ifndef CATALOGUE_H
#define CATALOGUE_H

#include <stdint.h>
#include <stdio.h>

/* Ends the program with status 1 and the message "PATH: WHY". */
_Noreturn void fail(const char *path, const char *why);

/* Calls `visit` for each message of the catalogue with its translation, both zero-terminated UTF-8 that remain valid.
 * Returns 0 if the file does not exist. Other errors end the program. */
int read_catalogue(const char *path, void (*visit)(const char *message, const char *translation));

/* FNV hash (Fowler, Noll, Vo) with the finaliser of MurmurHash3: an order by it is random, and the same everywhere. */
uint64_t hash_of(const char *text);

/* Opens FOLDER/FILE to write. */
FILE *create(const char *folder, const char *file);

#endif
