/* Atomic replacement of a file: it is written under another name in the same directory, then renamed.
 *
 * That name is NAME.<16 random hexadecimal digits>.part. The writer holds a lock on the file (flock(2)). A file without
 * a lock belongs to a writer that was killed, and the next writer of NAME removes it. Functions return 0 or
 * an errno. */
#ifndef ATTN_WEIGHTS_REPLACEMENT_H
#define ATTN_WEIGHTS_REPLACEMENT_H

typedef struct attn_replacement {
  int directory;
  int file;         /* open for writing */
  const char *name; /* the last component of the path, which outlives this */
  char part[256];
} attn_replacement;

int attn_replacement_begin(attn_replacement *replacement, const char *path);
/* Syncs the file, renames it and syncs its directory. Ends the replacement, also on an error: the old file then
 * remains, unless the error is from the sync of the directory. */
int attn_replacement_commit(attn_replacement *replacement);
/* Removes the file of a replacement. */
void attn_replacement_abandon(attn_replacement *replacement);

#endif
