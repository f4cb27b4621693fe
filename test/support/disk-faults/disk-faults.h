#pragma once

#include <limits.h>

/* A call on a file, by its descriptor or by its path. */
struct file_call {
  const char *kind;
  int fd;
  const char *path;
  /* What is written, or where to read to. */
  void *bytes;
  /* How many bytes; of a truncation the new size. */
  long size;
  /* -1: at the position of the file. Of an open: whether it may create the file. */
  long at;
  long result;
};

/* Whether the simulated disk has carried the call out itself: then `result` and errno are set. */
int simulated_before(struct file_call *call);
void simulated_after(struct file_call *call);

/* Whether a list such as `write,sync` has a kind. */
int has_kind(const char *kinds, const char *kind);
int path_of_fd(int fd, char path[PATH_MAX]);
