"""Makes the system calls that break machines, io_uring first, by their numbers.

Verdict: ok
"""

import ctypes

from by_number import buffer, call
from look_once import a, b

CALLS = {
    "io_uring_setup": (425, 8, ctypes.addressof(buffer)),
    "io_uring_enter": (426, 0, 0, 0, 0, 0),
    "io_uring_register": (427, 0, 0, 0, 0),
    "bpf": (321, 5, ctypes.addressof(buffer), 120),
    "perf_event_open": (298, ctypes.addressof(buffer), 0, -1, -1, 0),
    "userfaultfd": (323, 0),
    "userfaultfd for users only": (323, 1),
    "keyctl": (250, 0, -3, 1),
    "add_key": (248, 0, 0, 0, 0, -3),
    "request_key": (249, 0, 0, 0, 0),
    "mount": (165, 0, 0, 0, 0, 0),
    "umount2": (166, 0, 0),
    "pivot_root": (155, 0, 0),
    "fsopen": (430, 0, 0),
    "open_tree": (428, -100, 0, 0),
    "unshare a user namespace": (272, 0x10000000),
    "unshare all": (272, 0x7E020000),
    "setns": (308, 0, 0),
    "init_module": (175, 0, 0, 0),
    "finit_module": (313, 0, 0, 0),
    "kexec_load": (246, 0, 0, 0, 0),
    "reboot": (169, 0, 0, 0, 0),
    "swapon": (167, 0, 0),
    "settimeofday": (164, 0, 0),
    "clock_settime": (227, 0, ctypes.addressof(buffer)),
    "clock_adjtime": (305, 0, ctypes.addressof(buffer)),
    "sethostname": (170, ctypes.addressof(buffer), 1),
    "syslog": (103, 3, ctypes.addressof(buffer), 100),
    "acct": (163, 0),
    "iopl": (172, 3),
    "ioperm": (173, 0, 1, 1),
    "personality": (135, 0x0400000),
    "modify_ldt": (154, 1, ctypes.addressof(buffer), 16),
    "name_to_handle_at": (303, -100, ctypes.addressof(buffer), 0, 0, 0),
    "open_by_handle_at": (304, -100, ctypes.addressof(buffer), 0),
    "seccomp": (317, 1, 0, 0),
    "landlock_create_ruleset": (444, 0, 0, 1),
    "setuid": (105, 0),
    "setgid": (106, 0),
    "setgroups": (116, 0, 0),
    "setresuid": (117, 0, 0, 0),
    "capset": (126, 0, 0),
    "inotify_init1": (294, 0),
    "fanotify_init": (300, 0, 0),
    "signalfd4": (289, -1, 0, 8, 0),
    "memfd_secret": (447, 0),
    "process_madvise": (440, 0, 0, 0, 0, 0),
    "remap_file_pages": (216, 0, 0, 0, 0, 0),
    "mlockall": (151, 3),
    "mbind": (237, 0, 0, 0, 0, 0, 0),
    "vmsplice": (278, 1, 0, 0, 0),
    "splice": (275, 0, 0, 1, 0, 1, 0),
    "quotactl": (179, 0, 0, 0, 0),
    "lookup_dcookie": (212, 0, 0, 0),
    "mincore": (27, 0, 0, 0),
    "mq_open": (240, 0, 0, 0, 0),
    "futex_wake as numbered newly": (454, 0, 0, 0, 0),
    "preadv2 that must not wait": (327, 0, 0, 0, 0, 0, 8),
}
NOT_PERMITTED, NOT_THERE, FORBIDDEN = 1, 38, 13


def look():
    for name, (number, *arguments) in CALLS.items():
        try:
            call(number, *arguments)
        except OSError as error:
            # Anything else would say that the system had a look at it.
            if error.errno in (NOT_PERMITTED, NOT_THERE, FORBIDDEN):
                continue
            raise AssertionError(f"{name} was tried: {error}") from None
        raise AssertionError(f"{name} was done")
