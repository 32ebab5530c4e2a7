/* Atomic replacement of a file: it is written under another name in the same directory, then renamed.
 *
 * The other name is NAME.<16 random hexadecimal digits>.part, where NAME is cut off if it is too long. The writer holds
 * a lock on the file (flock(2)). A file without a lock belongs to a writer that was killed, and the next writer of NAME
 * removes it. Functions return 0 or an errno. */
#ifndef ATTN_REPLACEMENT_H
#define ATTN_REPLACEMENT_H

/* A replacement in progress. */
typedef struct attn_replacement {
  int directory;    /* descriptor of the directory of the path */
  int file;         /* descriptor of the new file, to which the caller writes */
  const char *name; /* the last component of the path, which outlives this */
  char part[256];   /* the other name, in the directory */
} attn_replacement;

/* Creates and locks the new file. Fails if `path` is a directory, device or pipe. After an error there is nothing to
 * end. */
int attn_replacement_begin(attn_replacement *replacement, const char *path);
/* Syncs the file, renames it and syncs its directory. Ends the replacement, also on an error: the old file then
 * remains, unless the error is from the sync of the directory. */
int attn_replacement_commit(attn_replacement *replacement);
/* Removes the new file and ends the replacement. */
void attn_replacement_abandon(attn_replacement *replacement);

#endif
