"""The layers that drop a child's rights, one per file.

Each function either does all of its work or raises `LayerRefused` with the reason, so that a
layer that the host refuses is reported and never skipped in silence. They run only in the zygote
and its children: no other process may call them, because rights cannot be regained.

Landlock, seccomp, namespaces and capabilities have no module in the standard library, so each layer
calls the kernel through ctypes. `pyseccomp` needs a C library, and `make up` installs Python
packages only; `py-landlock` and `landlockpy` are young, and would run as root in the zygote before
it gives up any right; `bubblewrap` costs 40 ms per attempt and has neither a deadline nor a report.
Architectures other than x86_64 and aarch64 run without seccomp, and the report says so.

The zygote enters the namespaces once and is the init process of its pid namespace, so one
`kill(-1)` ends every process that an attempt started. Each child has its own mounts and IPC, so an
attempt leaves nothing for the next one. A hole in the kernel defeats all layers: scorers from
strangers belong in a virtual machine.
"""
