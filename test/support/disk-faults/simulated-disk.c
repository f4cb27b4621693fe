// A disk that can lose power. With DISK_FAULTS_FOLDER, it counts and logs the calls on files below that folder. For databases,
// it also keeps what is not synced: the writes since the last sync of a file, and the creations and deletions of files since
// the last sync of the folder. A crash ends the process in the middle of a call. A loss of power leaves the synced data and
// a part of the rest: some of the writes, complete or only some sectors of 512 bytes of them, and the creations and deletions
// up to some moment.
//
// The process gives commands by opening files that do not exist:
//
//   /simulated-disk/crash <n> <calls> <kill|power> <seed>     ends the process at the n-th of these calls from now on
//   /simulated-disk/fail <n> <count> <calls> <error> <seed>   from the n-th of these calls on, <count> calls fail; writes may be torn
//   /simulated-disk/calm                                      no call fails any more, but a planned crash still comes
//   /simulated-disk/cut <seed>                                loses the power now
//   /simulated-disk/save                                      writes the log
//
// DISK_FAULTS_LOG names the file of the log. With the same DISK_FAULTS_SEED, /dev/urandom returns the same numbers. SQLite reads
// the salts of its write-ahead log from it.

#define _GNU_SOURCE
#include "disk-faults.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CRASHED 86
#define SECTOR 512

enum change_kind { WRITTEN, TRUNCATED, CREATED, DELETED };

/* A change that is not synced. The changes are in the order in which they were made. */
struct change {
  enum change_kind kind;
  char path[PATH_MAX];
  ino_t file;
  long at, size;
  char *bytes;
  /* The earlier content: the bytes, and the size of the file. */
  char *before;
  long before_size, file_size;
  /* The path at which a deleted file is kept. */
  char kept[PATH_MAX];
  struct change *earlier, *later;
};

struct plan {
  long first, count, seen;
  char kinds[64];
  int error;
  uint64_t seed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *folder;
static size_t folder_length;
static struct change *first_change, *last_change;
static struct plan crash, failure;
static int loses_power;
static uint64_t random_state;
static long kept_files;
static char log_text[1 << 16];
static size_t log_length;

static uint64_t drawn(uint64_t *state) {
  uint64_t bits = (*state += 0x9e3779b97f4a7c15u);
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

static long below(uint64_t *state, long bound) { return bound <= 0 ? 0 : (long)(drawn(state) % (uint64_t)bound); }

__attribute__((constructor)) static void begin(void) {
  folder = getenv("DISK_FAULTS_FOLDER");
  if (!folder) return;
  folder_length = strlen(folder);
  const char *seed = getenv("DISK_FAULTS_SEED");
  random_state = seed ? strtoull(seed, NULL, 10) : 0;
}

/* Uses only system calls: the functions of libc are replaced in disk-faults.c. */
static int raw_open(const char *path, int flags) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600);
}

static void save_log(void) {
  const char *path = getenv("DISK_FAULTS_LOG");
  int fd = path ? raw_open(path, O_WRONLY | O_CREAT | O_APPEND) : -1;
  if (fd >= 0) {
    syscall(SYS_write, fd, log_text, log_length);
    syscall(SYS_close, fd);
  }
  log_length = 0;
}

/* Runs at the regular end of the process. */
__attribute__((destructor)) static void end(void) {
  if (folder) save_log();
}

/* Databases with their logs and journals. Shared memory is left out, because SQLite builds it again at the next start. */
static int is_kept_apart(const char *path) {
  const char *ending = strstr(path, ".sqlite");
  return ending && strcmp(ending, ".sqlite-shm") != 0;
}

/*
 * Logs a call. For files that are not databases, the log does not show the content, because one of these files contains
 * the process id.
 */
static void note(const char *kind, const char *name, const struct file_call *call, const char *outcome) {
  if (log_length > sizeof log_text - 512) save_log();
  int is_database = is_kept_apart(name);
  uint32_t sum = 2166136261u;
  if (is_database && strcmp(kind, "write") == 0)
    for (long at = 0; at < call->size; at++) sum = (sum ^ ((unsigned char *)call->bytes)[at]) * 16777619u;
  log_length += (size_t)snprintf(log_text + log_length, 512, "%s %.200s %ld %ld %08x %s\n", kind, name, call->at,
                                 is_database ? call->size : 0, sum, outcome);
}

/* The part of a path below the folder, or NULL for a file outside it. */
static const char *name_of(const char *path) {
  if (strncmp(path, folder, folder_length) != 0) return NULL;
  if (path[folder_length] == 0) return ".";
  return path[folder_length] == '/' ? path + folder_length + 1 : NULL;
}

static void forget(struct change *change) {
  if (change->earlier) change->earlier->later = change->later;
  else first_change = change->later;
  if (change->later) change->later->earlier = change->earlier;
  else last_change = change->earlier;
  if (change->kind == DELETED) syscall(SYS_unlinkat, AT_FDCWD, change->kept, 0);
  free(change->bytes);
  free(change->before);
  free(change);
}

static struct change *add_change(enum change_kind kind, const char *path) {
  struct change *change = calloc(1, sizeof *change);
  change->kind = kind;
  snprintf(change->path, sizeof change->path, "%s", path);
  change->earlier = last_change;
  if (last_change) last_change->later = change;
  else first_change = change;
  return last_change = change;
}

static void write_at(int fd, const char *bytes, long size, long at) {
  for (long done = 0; done < size;) {
    long written = syscall(SYS_pwrite64, fd, bytes + done, size - done, at + done);
    if (written <= 0) return;
    done += written;
  }
}

/*
 * Notes the content that a write will overwrite. The content can be read through `fd`, because SQLite opens its files
 * for reading and writing.
 */
static void note_written(int fd, const char *path, const struct file_call *call, long size) {
  struct stat found;
  if (size <= 0 || syscall(SYS_fstat, fd, &found) != 0) return;
  struct change *change = add_change(WRITTEN, path);
  change->file = found.st_ino;
  change->file_size = found.st_size;
  change->at = call->at;
  change->size = size;
  change->bytes = malloc((size_t)size);
  memcpy(change->bytes, call->bytes, (size_t)size);
  change->before = malloc((size_t)size);
  long held = syscall(SYS_pread64, fd, change->before, size, call->at);
  change->before_size = held < 0 ? 0 : held;
}

static void note_truncated(int fd, const char *path, long size) {
  struct stat found;
  if (syscall(SYS_fstat, fd, &found) != 0 || found.st_size == size) return;
  struct change *change = add_change(TRUNCATED, path);
  change->file = found.st_ino;
  change->file_size = found.st_size;
  change->at = size;
  long lost = found.st_size - size;
  if (lost <= 0) return;
  change->before = malloc((size_t)lost);
  change->before_size = syscall(SYS_pread64, fd, change->before, lost, size);
}

static void note_synced(int fd, const char *name) {
  struct stat found;
  int is_folder = strcmp(name, ".") == 0;
  if (syscall(SYS_fstat, fd, &found) != 0) return;
  for (struct change *change = first_change, *later; change; change = later) {
    later = change->later;
    int is_of_folder = change->kind == CREATED || change->kind == DELETED;
    if (is_folder ? is_of_folder : !is_of_folder && change->file == found.st_ino) forget(change);
  }
}

static void undo(const struct change *change) {
  if (change->kind == CREATED) syscall(SYS_unlinkat, AT_FDCWD, change->path, 0);
  if (change->kind == DELETED) syscall(SYS_renameat, AT_FDCWD, change->kept, AT_FDCWD, change->path);
  if (change->kind != WRITTEN && change->kind != TRUNCATED) return;
  int fd = raw_open(change->path, O_RDWR);
  if (fd < 0) return;
  long at = change->at;
  if (change->before_size > 0) write_at(fd, change->before, change->before_size, at);
  syscall(SYS_ftruncate, fd, change->file_size);
  syscall(SYS_close, fd);
}

/* Writes a change again: completely, or only some of its sectors. */
static void write_again(int fd, const struct change *change, uint64_t *state) {
  if (below(state, 10) < 7 || change->size <= SECTOR) {
    write_at(fd, change->bytes, change->size, change->at);
    return;
  }
  for (long done = 0; done < change->size;) {
    long next = (change->at + done + SECTOR) / SECTOR * SECTOR - change->at;
    long until = next < change->size ? next : change->size;
    if (below(state, 2)) write_at(fd, change->bytes + done, until - done, change->at + done);
    done = until;
  }
}

static void do_again(const struct change *change, uint64_t *state) {
  // Repeats one change. If the change is the creation of a file, the file is empty until its writes are repeated. If it
  // is the deletion of a file, the file is removed completely.
  if (change->kind == DELETED) syscall(SYS_unlinkat, AT_FDCWD, change->path, 0);
  int fd = raw_open(change->path, change->kind == CREATED ? O_RDWR | O_CREAT : O_RDWR);
  if (fd < 0) return;
  if (change->kind == WRITTEN) write_again(fd, change, state);
  if (change->kind == TRUNCATED) syscall(SYS_ftruncate, fd, change->at);
  syscall(SYS_close, fd);
}

static void lose_power(uint64_t seed) {
  uint64_t state = seed;
  long of_folder = 0;
  for (struct change *change = last_change; change; change = change->earlier) {
    undo(change);
    of_folder += change->kind == CREATED || change->kind == DELETED;
  }
  long kept_of_folder = below(&state, of_folder + 1);
  static const long shares[] = {0, 50, 90, 100};
  long share = shares[below(&state, 4)];
  for (struct change *change = first_change; change; change = change->later) {
    int is_of_folder = change->kind == CREATED || change->kind == DELETED;
    if (is_of_folder ? kept_of_folder-- > 0 : below(&state, 100) < share) do_again(change, &state);
  }
}

static void end_process(void) {
  save_log();
  syscall(SYS_exit_group, CRASHED);
}

/* Does a part of a write that fails, or during which the process ends. */
static void write_part(const struct file_call *call, const char *path, uint64_t *state) {
  if (strcmp(call->kind, "write") != 0 || call->at < 0 || !is_kept_apart(path)) return;
  long size = below(state, 2) ? below(state, call->size + 1) / SECTOR * SECTOR : 0;
  note_written(call->fd, path, call, size);
  write_at(call->fd, call->bytes, size, call->at);
}

static int is_due(struct plan *plan, const char *kind) {
  if (plan->first == 0 || !has_kind(plan->kinds, kind)) return 0;
  plan->seen += 1;
  return plan->seen >= plan->first && plan->seen < plan->first + plan->count;
}

static int command(const char *text) {
  char mode[16];
  unsigned long long seed;
  struct plan *plan = strncmp(text, "crash ", 6) == 0 ? &crash : &failure;
  struct plan given = {0};
  if (sscanf(text, "crash %ld %63s %15s %llu", &given.first, given.kinds, mode, &seed) == 4) {
    given.count = 1;
    loses_power = strcmp(mode, "power") == 0;
  } else if (sscanf(text, "fail %ld %ld %63s %15s %llu", &given.first, &given.count, given.kinds, mode, &seed) == 5) {
    given.error = strcmp(mode, "ENOSPC") == 0 ? ENOSPC : EIO;
  } else if (strcmp(text, "calm") == 0) {
    failure.first = 0;
    return 0;
  } else {
    if (sscanf(text, "cut %llu", &seed) == 1) {
      lose_power(seed);
      end_process();
    }
    save_log();
    return 0;
  }
  given.seed = seed;
  *plan = given;
  return 0;
}

/* Carries out a command if the call opens a path that is a command. Returns whether it did. */
static int obeys(const struct file_call *call) {
  static const char prefix[] = "/simulated-disk/";
  if (strcmp(call->kind, "open") != 0 || strncmp(call->path, prefix, sizeof prefix - 1) != 0) return 0;
  command(call->path + sizeof prefix - 1);
  return 1;
}

static int answer(struct file_call *call, long result, int error) {
  call->result = result;
  errno = error;
  return 1;
}

static int draw_random(struct file_call *call) {
  for (long at = 0; at < call->size; at++) ((unsigned char *)call->bytes)[at] = (unsigned char)drawn(&random_state);
  return answer(call, call->size, 0);
}

/* Deletes a file, but keeps it elsewhere as long as a loss of power could bring it back. */
static int delete_file(struct file_call *call, const char *path) {
  struct change *change = add_change(DELETED, path);
  snprintf(change->kept, sizeof change->kept, "%.3900s.deleted.%d.%ld", folder, (int)getpid(), ++kept_files);
  long result = syscall(SYS_renameat, AT_FDCWD, path, AT_FDCWD, change->kept);
  int error = errno;
  if (result == 0) return answer(call, 0, 0);
  change->kind = CREATED;
  forget(change);
  return answer(call, -1, error);
}

/* Returns 0 if the caller must carry out the call. */
static int carry_out(struct file_call *call, const char *path) {
  if (strcmp(call->kind, "unlink") == 0) return delete_file(call, path);
  if (strcmp(call->kind, "write") == 0 && call->at >= 0) note_written(call->fd, path, call, call->size);
  if (strcmp(call->kind, "truncate") == 0) note_truncated(call->fd, path, call->size);
  struct stat found;
  if (strcmp(call->kind, "open") == 0 && call->at == 1 && syscall(SYS_newfstatat, AT_FDCWD, path, &found, 0) != 0)
    add_change(CREATED, path);
  return 0;
}

static int before(struct file_call *call, const char *path) {
  if (strcmp(path, "/dev/urandom") == 0 && strcmp(call->kind, "read") == 0) return draw_random(call);
  const char *name = name_of(path);
  if (!name || strstr(name, "-shm")) return 0;
  if (is_due(&crash, call->kind)) {
    note(call->kind, name, call, loses_power ? "power lost" : "killed");
    write_part(call, path, &crash.seed);
    if (loses_power) lose_power(crash.seed);
    end_process();
  }
  if (is_due(&failure, call->kind)) {
    note(call->kind, name, call, "failed");
    write_part(call, path, &failure.seed);
    return answer(call, -1, strcmp(call->kind, "write") == 0 ? failure.error : EIO);
  }
  note(call->kind, name, call, "done");
  return is_kept_apart(path) ? carry_out(call, path) : 0;
}

int simulated_before(struct file_call *call) {
  if (!folder) return 0;
  char path[PATH_MAX];
  if (call->path) {
    if (obeys(call)) return answer(call, -1, ENOENT);
    snprintf(path, sizeof path, "%s", call->path);
  } else if (!path_of_fd(call->fd, path)) {
    return 0;
  }
  pthread_mutex_lock(&lock);
  int error = errno;
  int is_done = before(call, path);
  if (!is_done) errno = error;
  pthread_mutex_unlock(&lock);
  return is_done;
}

void simulated_after(struct file_call *call) {
  if (!folder || strcmp(call->kind, "sync") != 0 || call->result != 0) return;
  char path[PATH_MAX];
  if (!path_of_fd(call->fd, path)) return;
  const char *name = name_of(path);
  if (!name) return;
  pthread_mutex_lock(&lock);
  note_synced(call->fd, name);
  pthread_mutex_unlock(&lock);
}
