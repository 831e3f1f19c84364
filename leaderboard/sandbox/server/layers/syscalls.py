"""The system calls that a scorer may make; all others are refused.

Found by tracing CPython 3.11 to 3.13, its standard library, and the libraries that plugins use.
The tables give the kernel's numbers: name, number on x86_64, number on aarch64, or - if an
architecture lacks the call. Calls from 424 on have the same number on all architectures.
"""

SyscallNumbers = dict[str, tuple[int | None, int | None]]

NEWEST_KNOWN = 452
"""Calls with a greater number fail as they would on an older kernel: they do not exist."""


def _table(text: str) -> SyscallNumbers:
    rows = (row.split() for row in text.split(",") if row.strip())
    return {name: (_number(here), _number(arm)) for name, here, arm in rows}


def _number(word: str) -> int | None:
    return None if word == "-" else int(word)


ALLOWED = _table(
    """
    read 0 63, pread64 17 67, readv 19 65, preadv 295 69, preadv2 327 286, write 1 64,
    pwrite64 18 68, writev 20 66, pwritev 296 70, pwritev2 328 287, close 3 57,
    lseek 8 62, fstat 5 80, newfstatat 262 79, stat 4 -, lstat 6 -,
    statx 332 291, access 21 -, faccessat 269 48, faccessat2 439 439, readlink 89 -,
    readlinkat 267 78, getdents64 217 61, getcwd 79 17, statfs 137 43, fstatfs 138 44,
    fadvise64 221 223, ftruncate 77 46, fallocate 285 47, mkdir 83 -, mkdirat 258 34,
    rmdir 84 -, unlink 87 -, unlinkat 263 35, rename 82 -, renameat 264 38,
    copy_file_range 326 285, sendfile 40 71, chdir 80 49, fchdir 81 50, umask 95 166,
    dup 32 23, dup2 33 -, dup3 292 24, pipe 22 -, pipe2 293 59, creat 85 -,
    brk 12 214, mmap 9 222, munmap 11 215, mprotect 10 226, mremap 25 216,
    set_robust_list 273 99, rseq 334 293, gettid 186 178, getpid 39 172, getppid 110 173,
    sched_yield 24 124, sched_getaffinity 204 123, sched_getparam 143 121,
    sched_getscheduler 145 120, sched_get_priority_max 146 125,
    sched_get_priority_min 147 126, getpriority 140 141, getcpu 309 168, getuid 102 174,
    geteuid 107 175, getgid 104 176, getegid 108 177, getresuid 118 148, getresgid 120 150,
    getgroups 115 158, getpgid 121 155, getpgrp 111 -, getsid 124 156, uname 63 160,
    sysinfo 99 179, getrandom 318 278, getrlimit 97 163, setrlimit 160 164, exit 60 93,
    exit_group 231 94,
    rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, rt_sigpending 127 136,
    rt_sigtimedwait 128 137, rt_sigsuspend 130 133, sigaltstack 131 132, pause 34 -,
    restart_syscall 219 128, alarm 37 -, setitimer 38 103, getitimer 36 102,
    clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115, nanosleep 35 101,
    gettimeofday 96 169, time 201 -, times 100 153, getrusage 98 165, poll 7 -,
    ppoll 271 73, select 23 -, pselect6 270 72, epoll_create 213 -, epoll_create1 291 20,
    epoll_ctl 233 21, epoll_wait 232 -, epoll_pwait 281 22, epoll_pwait2 441 441,
    eventfd2 290 19,
    recvfrom 45 207, shutdown 48 210, getsockname 51 204, getpeername 52 205,
    getsockopt 55 209
    """
)
"""Allowed with all arguments: files (Landlock restricts which), memory, threads, information about
the process itself, its own signals, time, waiting, and the two ends of its own socket pairs."""

RULED = _table(
    """
    fcntl 72 25, ioctl 16 29, prctl 157 167, clone 56 220, kill 62 129, tgkill 234 131,
    prlimit64 302 261, socketpair 53 199, sendto 44 206, openat 257 56, open 2 -,
    futex 202 98, madvise 28 233, renameat2 316 276, close_range 436 436,
    arch_prctl 158 -
    """
)
"""Allowed with some arguments only: see `rules.py`."""

PRETENDED = _table(
    """
    sync 162 81, syncfs 306 267, fsync 74 82, fdatasync 75 83, msync 26 227,
    sync_file_range 277 84, chmod 90 -, fchmod 91 52, fchmodat 268 53, chown 92 -,
    lchown 94 -, fchown 93 55, fchownat 260 54, utime 132 -, utimes 235 -, utimensat 280 88,
    futimesat 261 -, flock 73 32
    """
)
"""These calls report success and do nothing. Libraries call them as a matter of routine and fail if
they are refused. The working folder needs no owners, times, modes, locks or writes to a disk."""

MISSING = _table(
    """
    clone3 435 435, memfd_create 319 279, memfd_secret 447 447, mbind 237 235,
    get_mempolicy 239 236, set_mempolicy 238 237, membarrier 324 283,
    io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427,
    pidfd_open 434 434, pidfd_getfd 438 438, landlock_create_ruleset 444 444,
    landlock_add_rule 445 445, landlock_restrict_self 446 446, futex_waitv 449 449,
    openat2 437 437, fchmodat2 452 452, userfaultfd 323 282
    """
)
"""These calls fail as on a kernel without them, so that libraries fall back to allowed calls."""

UNSUPPORTED = _table(
    """
    setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7, getxattr 191 8, lgetxattr 192 9,
    fgetxattr 193 10, listxattr 194 11, llistxattr 195 12, flistxattr 196 13,
    removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16
    """
)
"""These calls fail as on a file system without extended attributes."""

PROGRAM = _table("execve 59 221, set_tid_address 218 96")
"""Also allowed with all arguments to a process that executes another program under the filter."""
