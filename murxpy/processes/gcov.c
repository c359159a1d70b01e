/* Writes the counters of gcov while a process lives and when it dies of a signal. gcov itself writes them only
   at a normal end, which a worker process hardly ever has.

   The file is compiled to a library that is loaded before all others, so that every instrumented library finds this one's
   list of counters and joins it. gcc's libgcov says what the list looks like (libgcov-driver.c). */

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct gcov_root {
    void *list;
    unsigned dumped : 1;
    unsigned run_counted : 1;
    struct gcov_root *next;
    struct gcov_root *prev;
};

struct gcov_master {
    unsigned version;
    struct gcov_root *root;
};

extern struct gcov_master __gcov_master;
extern void __gcov_dump_one(struct gcov_root *);

static const long INTERVAL = 2000; /* ms: what a process that is killed can lose; a young one loses less */
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static int ended;

static void dump(void) {
    struct gcov_root *root;
    for (root = __gcov_master.root; root; root = root->next) {
        __gcov_dump_one(root);
        root->dumped = 0;
    }
}

/* Add the counters to the files. As they stay, the next time adds them again: the files say what was reached, not how
   often. Writing adds what is in the files to the counters in memory, which would double them each time until they are 0
   again. So a copy of the process writes. It is none that the process waits for elsewhere, since it ends without a signal. */
void murxpy_gcov_write(void) {
    pid_t copy;
    pthread_mutex_lock(&writing); /* a worker may be killed as soon as its own writing ends */
    if (ended || !__gcov_master.root) {
        pthread_mutex_unlock(&writing);
        return;
    }
    copy = syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
    if (!copy) {
        sigset_t one; /* another thread may hold a lock that the copy needs: it must end all the same */
        signal(SIGALRM, SIG_DFL);
        sigemptyset(&one);
        sigaddset(&one, SIGALRM);
        pthread_sigmask(SIG_UNBLOCK, &one, 0);
        alarm(30);
        dump();
        _exit(0);
    }
    while (copy > 0 && waitpid(copy, 0, __WCLONE) < 0 && errno == EINTR)
        ;
    pthread_mutex_unlock(&writing);
}

static volatile sig_atomic_t cause;

static void end_by_cause(int unused) {
    sigset_t one;
    (void)unused;
    signal(cause, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, cause);
    pthread_sigmask(SIG_UNBLOCK, &one, 0);
    raise(cause);
}

/* Memory may be broken, or its lock held, so that the writing does not end: then the alarm ends the process, by the
   signal that it died of. */
static void died(int number) {
    sigset_t one;
    cause = number;
    signal(SIGALRM, end_by_cause);
    sigemptyset(&one);
    sigaddset(&one, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &one, 0);
    alarm(2);
    if (!ended && !pthread_mutex_trylock(&writing))
        dump();
    end_by_cause(0);
}

/* At a normal end gcov writes by itself. */
static void end(void) {
    pthread_mutex_lock(&writing);
    ended = 1;
    pthread_mutex_unlock(&writing);
}

static void *repeat(void *unused) {
    long wait = INTERVAL / 8;
    atexit(end);
    while (!ended) {
        struct timespec interval = {wait / 1000, wait % 1000 * 1000000};
        nanosleep(&interval, 0);
        murxpy_gcov_write();
        wait = wait < INTERVAL / 2 ? 2 * wait : INTERVAL;
    }
    return unused;
}

static void start(void) {
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the threads of the program */
    if (!pthread_create(&thread, 0, repeat, 0))
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, 0);
}

static void forked(void) {
    pthread_mutex_init(&writing, 0);
    start();
}

__attribute__((constructor)) static void loaded(void) {
    static const int deaths[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    unsigned at;
    for (at = 0; at < sizeof deaths / sizeof *deaths; at++)
        signal(deaths[at], died);
    pthread_atfork(0, 0, forked);
    start();
}
