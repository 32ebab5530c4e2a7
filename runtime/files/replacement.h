/* Atomic replacement of a file: the new contents are written to a temporary file in the same directory, which is then
 * renamed to the name of the old file. At every instant, the path is the old file or the complete new one. The new file
 * has mode 0666 less the umask, whatever that of the old one; a symbolic link is itself replaced, not its target.
 *
 * For a path with the last component NAME, the temporary file is NAME.<16 random hexadecimal digits>.part, where NAME
 * is cut off if it is too long. The writer holds a lock on the temporary file (flock(2)). A temporary file without a
 * lock belongs to a writer that was killed, and the next writer of NAME removes it. Functions return 0 or an errno. */
#ifndef ATTN_REPLACEMENT_H
#define ATTN_REPLACEMENT_H

#include <stddef.h>

/* A replacement in progress, from a successful begin to commit or abandon, which close the descriptors. */
typedef struct attn_replacement {
  int directory;    /* descriptor of the directory of the path */
  int file;         /* descriptor of the temporary file */
  const char *name; /* the last component of the path, in the text given to attn_replacement_begin */
  char part[256];   /* the name of the temporary file in the directory */
} attn_replacement;

/* Starts a replacement: creates and locks the temporary file. The text `path` must outlive the replacement. Returns
 * EISDIR if `path` is a directory, ENOTSUP if it is a device, pipe or socket, also if it is a symbolic link to one.
 * After an error, no file is open, and the caller calls neither commit nor abandon. */
int attn_replacement_begin(attn_replacement *replacement, const char *path);
/* Appends `count` bytes at `data` to the temporary file. */
int attn_replacement_write(attn_replacement *replacement, const void *data, size_t count);
/* Syncs the temporary file, renames it to the path and syncs the directory. Ends the replacement, also after an error.
 * After an error the old file remains and the temporary file is removed, unless the error is from the sync of the
 * directory: then the new file is in place. */
int attn_replacement_commit(attn_replacement *replacement);
/* Ends the replacement without effect: removes the temporary file. */
void attn_replacement_abandon(attn_replacement *replacement);

#endif
