// Makes calls on files fail. Tests preload this library (disk-faults.ts). While the file that DISK_FAULTS_CONTROL names exists,
// its lines say which calls fail:
//
//   <calls> <error> <first> <count> <text>
//
// For example, `write,sync EIO 3 1 /data/` fails the third of the write and sync calls on paths that contain /data/. A count
// of 0 means all further calls. Each line counts calls from the moment when the control file was written. Each fault adds a
// line to the file of the same name with `.hits`.
//
// Kinds: open, read, write, sync, truncate, unlink, rename.
//
// With DISK_FAULTS_FOLDER it also simulates the disk below that folder (simulated-disk.c).

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "disk-faults.h"

#define RULES_MAX 16

struct rule {
  char kinds[64];
  int error;
  long first, count, seen;
  char text[PATH_MAX];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rule rules[RULES_MAX];
static int rule_count;
/* The control file from which the rules were read. */
static ino_t read_inode;
static struct timespec read_change;

static int error_named(const char *name) {
  if (strcmp(name, "ENOSPC") == 0) return ENOSPC;
  if (strcmp(name, "EACCES") == 0) return EACCES;
  if (strcmp(name, "EDQUOT") == 0) return EDQUOT;
  return EIO;
}

/* Uses only system calls: the functions of libc are replaced below. */
static void read_rules(const char *control) {
  static char text[8192];
  struct stat found;
  if (syscall(SYS_newfstatat, AT_FDCWD, control, &found, 0) != 0) {
    rule_count = 0;
    read_inode = 0;
    return;
  }
  if (found.st_ino == read_inode && found.st_ctim.tv_sec == read_change.tv_sec &&
      found.st_ctim.tv_nsec == read_change.tv_nsec)
    return;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, control, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return;
  long length = syscall(SYS_read, fd, text, sizeof text - 1);
  syscall(SYS_close, fd);
  text[length < 0 ? 0 : length] = 0;
  read_inode = found.st_ino;
  read_change = found.st_ctim;
  rule_count = 0;
  char *rest = NULL;
  for (char *line = strtok_r(text, "\n", &rest); line && rule_count < RULES_MAX; line = strtok_r(NULL, "\n", &rest)) {
    struct rule *rule = &rules[rule_count];
    char error[16];
    if (sscanf(line, "%63s %15s %ld %ld %4095[^\n]", rule->kinds, error, &rule->first, &rule->count, rule->text) != 5)
      continue;
    rule->error = error_named(error);
    rule->seen = 0;
    rule_count += 1;
  }
}

static void note_hit(const char *control, const char *kind, const char *path) {
  char file[PATH_MAX], line[PATH_MAX + 32];
  snprintf(file, sizeof file, "%s.hits", control);
  int length = snprintf(line, sizeof line, "%s %s\n", kind, path);
  int fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;
  syscall(SYS_write, fd, line, length);
  syscall(SYS_close, fd);
}

int has_kind(const char *kinds, const char *kind) {
  size_t length = strlen(kind);
  for (const char *at = kinds; (at = strstr(at, kind)); at += length) {
    char before = at == kinds ? ',' : at[-1];
    if (before == ',' && (at[length] == ',' || at[length] == 0)) return 1;
  }
  return 0;
}

/* The error with which a call fails, or 0. */
static int fault(const char *kind, const char *path) {
  const char *control = getenv("DISK_FAULTS_CONTROL");
  if (!control || !path || strstr(path, control)) return 0;
  int error = 0;
  pthread_mutex_lock(&lock);
  read_rules(control);
  for (int at = 0; at < rule_count && !error; at++) {
    struct rule *rule = &rules[at];
    if (!has_kind(rule->kinds, kind) || !strstr(path, rule->text)) continue;
    rule->seen += 1;
    if (rule->seen < rule->first || (rule->count > 0 && rule->seen >= rule->first + rule->count)) continue;
    error = rule->error;
  }
  if (error) note_hit(control, kind, path);
  pthread_mutex_unlock(&lock);
  return error;
}

int path_of_fd(int fd, char path[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
  if (length <= 0 || path[0] != '/') return 0;
  path[length] = 0;
  return 1;
}

static int fault_of_fd(const char *kind, int fd) {
  char path[PATH_MAX];
  return getenv("DISK_FAULTS_CONTROL") && path_of_fd(fd, path) ? fault(kind, path) : 0;
}

#define NEXT(name) \
  static __typeof__(name) *next; \
  if (!next) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define FAIL_IF(error) \
  int fault_error = (error); \
  if (fault_error) { \
    errno = fault_error; \
    return -1; \
  }

/* `at` is the position at which a call reads or writes, or -1 for the position of the file. */
#define ON_FD(type, name, kind, parameters, arguments, from, length, at) \
  type name parameters { \
    NEXT(name); \
    FAIL_IF(fault_of_fd(kind, fd)); \
    struct file_call call = {kind, fd, NULL, from, (long)(length), (long)(at), 0}; \
    if (simulated_before(&call)) return (type)call.result; \
    type done = next arguments; \
    call.result = (long)done; \
    simulated_after(&call); \
    return done; \
  }
ON_FD(ssize_t, read, "read", (int fd, void *to, size_t size), (fd, to, size), to, size, -1)
ON_FD(ssize_t, pread, "read", (int fd, void *to, size_t size, off_t at), (fd, to, size, at), to, size, at)
ON_FD(ssize_t, pread64, "read", (int fd, void *to, size_t size, off64_t at), (fd, to, size, at), to, size, at)
ON_FD(ssize_t, write, "write", (int fd, const void *from, size_t size), (fd, from, size), (void *)from, size, -1)
ON_FD(ssize_t, pwrite, "write", (int fd, const void *from, size_t size, off_t at), (fd, from, size, at), (void *)from, size, at)
ON_FD(ssize_t, pwrite64, "write", (int fd, const void *from, size_t size, off64_t at), (fd, from, size, at), (void *)from, size, at)
ON_FD(int, fsync, "sync", (int fd), (fd), NULL, 0, 0)
ON_FD(int, fdatasync, "sync", (int fd), (fd), NULL, 0, 0)
ON_FD(int, ftruncate, "truncate", (int fd, off_t size), (fd, size), NULL, size, 0)
ON_FD(int, ftruncate64, "truncate", (int fd, off64_t size), (fd, size), NULL, size, 0)

#define ON_PATH(name, kind, parameters, arguments) \
  int name parameters { \
    NEXT(name); \
    FAIL_IF(fault(kind, path)); \
    struct file_call call = {kind, -1, path, NULL, 0, 0, 0}; \
    if (simulated_before(&call)) return (int)call.result; \
    int done = next arguments; \
    call.result = done; \
    simulated_after(&call); \
    return done; \
  }
ON_PATH(unlink, "unlink", (const char *path), (path))
/* Newer versions of Node delete files with this function. */
ON_PATH(remove, "unlink", (const char *path), (path))
ON_PATH(rename, "rename", (const char *path, const char *to), (path, to))

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    NEXT(name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? (mode_t)va_arg(rest, int) : 0; \
    va_end(rest); \
    FAIL_IF(fault("open", path)); \
    struct file_call call = {"open", -1, path, NULL, 0, flags & O_CREAT ? 1 : 0, 0}; \
    if (simulated_before(&call)) return (int)call.result; \
    int done = next(path, flags, mode); \
    call.result = done; \
    simulated_after(&call); \
    return done; \
  }
OPEN(open)
OPEN(open64)
