# Makes the system calls that break machines, io_uring first, by their numbers.
# Verdict: ok
import ctypes

from by_number import buffer, see_refused
from look_once import a, b

SPACE = ctypes.addressof(buffer)
NUMBERS = [
    *(425, 426, 427, 321, 298, 323),  # io_uring_setup, _enter, _register, bpf, perf_event_open, userfaultfd
    *(250, 248, 249),  # keyctl, add_key, request_key
    *(165, 166, 155, 430, 428, 308),  # mount, umount2, pivot_root, fsopen, open_tree, setns
    *(175, 313, 246, 169, 167, 163),  # init_module, finit_module, kexec_load, reboot, swapon, acct
    *(164, 305, 170, 103, 172, 173, 154),  # settimeofday, clock_adjtime, sethostname, syslog, iopl, ioperm, modify_ldt
    *(303, 304, 317, 444),  # name_to_handle_at, open_by_handle_at, seccomp, landlock_create_ruleset
    *(105, 106, 116, 117, 126),  # setuid, setgid, setgroups, setresuid, capset
    *(294, 300, 289),  # inotify_init1, fanotify_init, signalfd4
    *(447, 440, 216, 151, 237, 27),  # memfd_secret, process_madvise, remap_file_pages, mlockall, mbind, mincore
    *(278, 275, 179, 212, 240, 454),  # vmsplice, splice, quotactl, lookup_dcookie, mq_open, futex_wake
]
WITH_ARGUMENTS = {
    "unshare a user namespace": (272, 0x10000000),
    "personality": (135, 0x0400000),
    "clock_settime": (227, 0, SPACE),
    "preadv2 that must not wait": (327, 0, 0, 0, 0, 0, 8),
}


def look():
    see_refused({number: (number, 0, 0, 0, 0, 0) for number in NUMBERS} | WITH_ARGUMENTS, (1, 13, 38))
