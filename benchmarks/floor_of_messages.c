/* What a message to a process and its answer cost at least: ns of processor time a message, of both sides together.
 *
 *   cc -O2 -o /tmp/floor benchmarks/floor_of_messages.c && /tmp/floor [PROCESSES [BYTES ASKED [BYTES ANSWERED]]]
 *
 * Nothing is worked out: bytes go there and back. Processes are asked one after the other, as Python bots are, or all
 * before the first answer is read, as programs are; on the asker's core or on another. By pipes the asker polls before
 * it reads, as a worker must, since bots may be silent. On a shared page nobody sleeps who needn't.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
enum { PIPES, FUTEX, WAYS, MOST = 64, MESSAGES = 1 << 15 };
typedef struct { _Atomic int turn, sleeps[2]; char bytes[4096]; } Page;  /* turn: 0 the asker's, 1 the other's */
static Page *pages;
static int there[MOST][2], back[MOST][2];
static char bytes[4096];

static void put(int way, int number, int to, size_t size) {
    Page *page = &pages[number];
    if (way == PIPES) {
        if (write(to ? there[number][1] : back[number][1], bytes, size) < 0) exit(1);
        return;
    }
    memcpy(page->bytes, bytes, size);
    atomic_store(&page->turn, to);
    if (atomic_load(&page->sleeps[to])) syscall(SYS_futex, &page->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void take(int way, int number, int me, size_t size) {
    Page *page = &pages[number];
    struct pollfd answer = {back[number][0], POLLIN, 0};
    if (way == PIPES) {
        if (!me) poll(&answer, 1, 1000);
        if (read(me ? there[number][0] : answer.fd, bytes, sizeof bytes) <= 0) exit(0);
        return;
    }
    while (atomic_load(&page->turn) != me) {
        atomic_store(&page->sleeps[me], 1);
        syscall(SYS_futex, &page->turn, FUTEX_WAIT, !me, NULL, NULL, 0);
        atomic_store(&page->sleeps[me], 0);
    }
    memcpy(bytes, page->bytes, size);
}

static double seconds(int who) {
    struct rusage used;
    getrusage(who, &used);
    return used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1e-6 * (used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void stay_on(int core) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    sched_setaffinity(0, sizeof cores, &cores);
}

static double cost(int way, int core, int together, int count, size_t asked, size_t answered) {
    int processes[MOST];
    memset(pages, 0, MOST * sizeof *pages);
    for (int i = 0; i < count; i++) {
        if (pipe(there[i]) || pipe(back[i])) exit(1);
        if ((processes[i] = fork())) continue;
        stay_on(core);
        for (;;) { take(way, i, 1, asked); put(way, i, 0, answered); }
    }
    double before = seconds(RUSAGE_SELF) + seconds(RUSAGE_CHILDREN);
    for (int message = 0; message < MESSAGES; message += count)
        for (int i = 0; i < count; i++) {
            put(way, i, 1, asked);
            if (!together) take(way, i, 0, answered);
            else if (i == count - 1) for (int j = count; j--;) take(way, j, 0, answered);
        }
    for (int i = 0; i < count; i++) {
        kill(processes[i], SIGKILL);
        waitpid(processes[i], NULL, 0);
        for (int end = 0; end < 2; end++) close(there[i][end]), close(back[i][end]);
    }
    return 1e9 * (seconds(RUSAGE_SELF) + seconds(RUSAGE_CHILDREN) - before) / MESSAGES;
}

int main(int words, char **word) {
    int count = words > 1 ? atoi(word[1]) : 4, asked = words > 2 ? atoi(word[2]) : 120, answered = words > 3 ? atoi(word[3]) : 56;
    if (count < 1 || count > MOST || asked < 1 || asked > 4096 || answered < 1 || answered > 4096) return 2;
    pages = mmap(NULL, MOST * sizeof *pages, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return 1;
    stay_on(0);
    setvbuf(stdout, NULL, _IONBF, 0);  /* or each fork would print what waits */
    printf("%d processes               pipes    futex\n", count);
    for (int core = 0; core < 2; core++)
        for (int together = 0; together < 2; together++) {
            printf("%s core, %s", core ? "another" : "   same", together ? "together  " : "one by one");
            for (int way = PIPES; way < WAYS; way++)
                printf(" %8.0f", cost(way, core, together, count, asked, answered));
            printf("\n");
        }
}
