#pragma once

#include <limits.h>

/* A call on a file. The file is given by a descriptor or by a path. */
struct file_call {
  const char *kind;
  int fd;
  const char *path;
  /* The bytes to write, or the memory to read into. */
  void *bytes;
  /* The number of bytes. For a truncation, the new size. */
  long size;
  /* The position, or -1 for the position of the file. For an open: whether it may create the file. */
  long at;
  long result;
};

/* Whether the simulated disk has carried out the call itself. If so, `result` and errno are set. */
int simulated_before(struct file_call *call);
void simulated_after(struct file_call *call);

/* Whether a list such as `write,sync` contains a kind of call. */
int has_kind(const char *kinds, const char *kind);
int path_of_fd(int fd, char path[PATH_MAX]);
