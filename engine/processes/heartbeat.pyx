"""A clock that stands still while the whole machine, or this process with its group, does.

A thread without the interpreter's lock wakes at a fixed interval. If it wakes much too late, this process didn't run:
the machine was suspended, the process stopped, or processors were overloaded. No sleep counts in such a gap.
"""

cdef extern from *:
    """
    #include <pthread.h>
    #include <signal.h>
    #include <stdint.h>
    #include <time.h>
    #include <unistd.h>

    /* Nanoseconds between beats, and how late one is in a gap. */
    enum { BEAT = 50000000, LATE = 200000000 };

    static pthread_mutex_t access_to_beats;
    static int64_t last_beat, missed;
    static pid_t beating_in;

    static int64_t monotonic(void)
    {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    }

    static int64_t gap_until(int64_t now)
    {
        int64_t late = now - last_beat - BEAT;
        return late > LATE ? late : 0;
    }

    static void *beat(void *unused)
    {
        struct timespec pause = { 0, BEAT };
        int64_t now;
        for (;;) {
            clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
            pthread_mutex_lock(&access_to_beats);
            now = monotonic();
            missed += gap_until(now);
            last_beat = now;
            pthread_mutex_unlock(&access_to_beats);
        }
        return unused;
    }

    /* Starts the thread, once in a process: a fork of it must have its own. Called with the interpreter's lock. */
    static int start_beating(void)
    {
        pthread_t thread;
        sigset_t all, before;
        int failed;
        if (beating_in == getpid())
            return 0;
        pthread_mutex_init(&access_to_beats, NULL);
        last_beat = monotonic();
        missed = 0;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        failed = pthread_create(&thread, NULL, beat, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (!failed) {
            pthread_detach(thread);
            beating_in = getpid();
        }
        return failed;
    }

    static int64_t awake(void)
    {
        int64_t now;
        pthread_mutex_lock(&access_to_beats);
        now = monotonic();
        now -= missed + gap_until(now);
        pthread_mutex_unlock(&access_to_beats);
        return now;
    }
    """
    long long awake() nogil
    long long monotonic() nogil
    int start_beating()


def awake_seconds():
    """Return a clock's seconds, without those in which this process didn't run."""
    if start_beating():    # no thread can be started: then all seconds count
        return monotonic() / 1e9
    return awake() / 1e9
