"""Code that goes for other processes, or wants to outlive its time."""

from __future__ import annotations

import functools

from benchmarks.hostile_actions.action import REFUSED, SPINS, STOPPED, Action, short

_action = functools.partial(Action, kind="processes", expect=REFUSED)

_SOME = ("ok", "error", "unavailable", "limit:processes")
_NOT_ALL = "without a sandbox it would end every process of the user"

ACTIONS = (
    _action(
        name="kill the supervisor",
        item="kill parent / -1",
        code="import signal\nos.kill(SUPERVISOR, signal.SIGTERM)\nresult = 'sent'",
        attacks=("signal", "outcome"),
    ),
    _action(
        name="kill a stranger",
        item="kill parent / -1",
        code="import signal\nos.kill(VICTIM, signal.SIGKILL)\nresult = 'sent'",
        attacks=("victim", "outcome"),
    ),
    _action(
        name="stop a stranger",
        item="kill parent / -1",
        code="import signal\nos.kill(VICTIM, signal.SIGSTOP)\nresult = 'sent'",
        attacks=("victim", "outcome"),
    ),
    _action(
        name="ask whether everyone can be killed",
        item="kill parent / -1",
        code="os.kill(-1, 0)\nresult = 'could'",
        attacks=("outcome",),
        caged=_NOT_ALL,
    ),
    _action(
        name="kill parents",
        item="kill parent / -1",
        code="import signal\nresult = attempt(*[lambda n=n: os.kill(n, signal.SIGUSR1) for n in PARENTS])",
        attacks=("signal", "outcome"),
    ),
    _action(
        name="kill a group",
        item="killpg",
        code="import signal\nresult = attempt(lambda: os.killpg(VICTIM, signal.SIGKILL), lambda: os.kill(-VICTIM, 9))",
        attacks=("victim", "outcome"),
    ),
    _action(
        name="kill the own group",
        item="killpg",
        code="import signal\nos.killpg(0, signal.SIGTERM)\nresult = 'sent'",
        attacks=(),
    ),
    _action(
        name="signals by thread calls",
        item="tkill/tgkill/rt_sigqueueinfo/pidfd_send_signal",
        kind="supervisor",
        code="""
import ctypes
about = (ctypes.c_int * 32)(10, 0, -1)
result = attempt(lambda: call('tkill', SUPERVISOR, 10), lambda: call('tgkill', SUPERVISOR, SUPERVISOR, 10),
                 lambda: call('rt_sigqueueinfo', SUPERVISOR, 10, ctypes.byref(about)),
                 lambda: call('rt_tgsigqueueinfo', SUPERVISOR, SUPERVISOR, 10, ctypes.byref(about)))
""",
        attacks=("signal", "outcome"),
    ),
    _action(
        name="signals by process descriptors",
        item="tkill/tgkill/rt_sigqueueinfo/pidfd_send_signal",
        kind="supervisor",
        code="call('pidfd_send_signal', call('pidfd_open', SUPERVISOR, 0), 10, None, 0)\nresult = 'sent'",
        attacks=("signal", "outcome"),
    ),
    _action(
        name="signals by owning a pipe",
        item="F_SETOWN/F_SETSIG SIGIO",
        kind="supervisor",
        code="""
import fcntl
reading, writing = os.pipe()
fcntl.fcntl(reading, fcntl.F_SETOWN, SUPERVISOR)
fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC)
os.write(writing, b'x')
result = 'sent'
""",
        attacks=("signal", "outcome"),
    ),
    _action(
        name="signals by owning inherited streams",
        item="F_SETOWN/F_SETSIG SIGIO",
        kind="supervisor",
        code="""
import fcntl, struct
def own(place):
    fcntl.ioctl(place, 0x8901, struct.pack('i', SUPERVISOR))
    fcntl.fcntl(place, 10, 10)
    fcntl.fcntl(place, fcntl.F_SETFL, os.O_ASYNC)
result = attempt(*[lambda p=p: own(p) for p in range(0, 12)])
""",
        attacks=(),
    ),
    _action(
        name="signal when the parent dies",
        item="F_SETOWN/F_SETSIG SIGIO",
        kind="supervisor",
        code="checked(libc().prctl(1, 0, 0, 0, 0))\nresult = 'the tie is cut'",
        expect=("ok", "error"),
    ),
    _action(
        name="trace",
        item="ptrace attach + seize",
        code="""
result = attempt(lambda: checked(libc().ptrace(16, VICTIM, None, None)),
                 lambda: checked(libc().ptrace(0x4206, VICTIM, None, None)))
""",
        attacks=("victim", "outcome"),
    ),
    _action(
        name="trace parents",
        item="ptrace attach + seize",
        code="result = attempt(*[lambda n=n: checked(libc().ptrace(0x4206, n, None, None)) for n in PARENTS])",
        attacks=("outcome",),
    ),
    _action(
        name="ask to be traced",
        item="ptrace attach + seize",
        code="checked(libc().ptrace(0, 0, None, None))\nresult = 'traced'",
        attacks=("outcome",),
        caged="it would stop the control",
    ),
    _action(
        name="write into another process",
        item="process_vm_readv",
        code="""
import ctypes
with open(f'/proc/{VICTIM}/maps') as areas:
    place = int([line for line in areas if '[stack]' in line][0].split()[0].split('-')[1], 16) - 64
kept = ctypes.create_string_buffer(16)
mine, theirs = (ctypes.c_uint64 * 2)(ctypes.addressof(kept), 16), (ctypes.c_uint64 * 2)(place, 16)
result = call('process_vm_writev', VICTIM, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)
""",
        attacks=("outcome",),
    ),
    _action(
        name="take a descriptor of another process",
        item="process_vm_readv",
        code="result = call('pidfd_getfd', call('pidfd_open', VICTIM, 0), 0, 0)",
        attacks=("outcome",),
    ),
    _action(
        name="limits of a stranger",
        item="prlimit + affinity of parent",
        code="import resource\nresource.prlimit(VICTIM, resource.RLIMIT_NOFILE, (7, 7))\nresult = 'set'",
        attacks=("victim", "outcome"),
    ),
    _action(
        name="limits of the supervisor",
        item="prlimit + affinity of parent",
        code="""
import resource
result = attempt(*[lambda n=n: resource.prlimit(n, resource.RLIMIT_NOFILE, (77, 20000)) for n in PARENTS])
""",
        attacks=("signal", "outcome"),
    ),
    _action(
        name="read limits of the supervisor",
        item="prlimit + affinity of parent",
        code="""
import resource
result = attempt(*[lambda n=n: resource.prlimit(n, resource.RLIMIT_NOFILE) for n in PARENTS])
""",
        attacks=("outcome",),
    ),
    _action(
        name="processor and priority of strangers",
        item="prlimit + affinity of parent",
        code="""
result = attempt(*[lambda n=n: os.sched_setaffinity(n, {0}) for n in (VICTIM, SUPERVISOR)],
                 *[lambda n=n: os.setpriority(os.PRIO_PROCESS, n, 19) for n in (VICTIM, SUPERVISOR)])
""",
        attacks=("victim", "signal", "outcome"),
    ),
    _action(
        name="scheduler of strangers",
        item="prlimit + affinity of parent",
        code="""
result = attempt(*[lambda n=n: os.sched_setscheduler(n, os.SCHED_IDLE, os.sched_param(0))
                   for n in (VICTIM, SUPERVISOR)])
""",
        attacks=("victim", "outcome"),
    ),
    _action(
        name="raise own limits",
        item="raise own rlimits / nice",
        code="""
import resource
most = resource.RLIM_INFINITY
kinds = (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU, resource.RLIMIT_CORE)
result = attempt(*[lambda k=k: resource.setrlimit(k, (5 << 30, most)) for k in kinds])
""",
        attacks=(),
    ),
    _action(
        name="raise own priority",
        item="raise own rlimits / nice",
        code="""
result = attempt(lambda: os.nice(-5), lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
                 lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
""",
        attacks=("outcome",),
        caged="only a privileged user can",
    ),
    _action(
        name="double fork with closed descriptors",
        item="setsid double fork with closed fds",
        code="""
import time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 256)
        time.sleep(30)
    os._exit(0)
result = 'left'
""",
        attacks=("survivors", "outcome"),
    ),
    _action(
        name="double fork where processes are allowed",
        item="setsid double fork with closed fds",
        code="""
import time
child = os.fork()
if child == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 256)
        time.sleep(30)
    os._exit(0)
os.waitpid(child, 0)
result = 'left'
""",
        expect=_SOME,
        attacks=("survivors",),
        limits={"processes": 4},
    ),
    _action(
        name="children that stop being found",
        item="setsid double fork with closed fds",
        code="""
import time
for _ in range(3):
    if os.fork() == 0:
        for _ in range(20):
            if os.fork():
                os._exit(0)
            os.setsid()
        time.sleep(30)
        os._exit(0)
time.sleep(0.1)
result = 'running away'
""",
        expect=_SOME,
        attacks=("survivors",),
        limits={"processes": 8},
    ),
    _action(
        name="a child of the parent",
        item="clone(CLONE_PARENT) survivor",
        kind="supervisor",
        code="""
import time
if call('clone', 0x8000 | 17, 0, 0, 0, 0) == 0:
    time.sleep(30)
    os._exit(0)
result = 'left'
""",
        attacks=("survivors", "outcome"),
    ),
    _action(
        name="a child of the parent where processes are allowed",
        item="clone(CLONE_PARENT) survivor",
        kind="supervisor",
        code="""
import time
if call('clone', 0x8000 | 17, 0, 0, 0, 0) == 0:
    os.setsid()
    time.sleep(30)
    os._exit(0)
result = 'left'
""",
        expect=_SOME,
        attacks=("survivors",),
        limits={"processes": 4},
    ),
    _action(
        name="daemon that keeps the pipes",
        item="daemon that keeps the pipes",
        code="""
import time
if os.fork() == 0:
    os.setsid()
    time.sleep(30)
    os._exit(0)
result = 'left'
""",
        expect=_SOME,
        attacks=("survivors",),
        limits={"processes": 4},
    ),
    _action(
        name="daemon that goes on printing",
        item="daemon that keeps the pipes",
        code="""
import time
if os.fork() == 0:
    os.setsid()
    for _ in range(3000):
        os.write(1, b'still here')
        time.sleep(0.01)
    os._exit(0)
result = 'left'
""",
        expect=_SOME,
        attacks=("survivors",),
        limits={"processes": 4},
    ),
    _action(
        name="program that outlives its starter",
        item="daemon that keeps the pipes",
        code="""
import subprocess
result = subprocess.Popen(['/bin/sleep', '30'], start_new_session=True).pid > 0
""",
        expect=_SOME,
        attacks=("survivors",),
        limits={"processes": 4},
    ),
    _action(
        name="exit handler that sleeps",
        item="atexit / __del__ / non-daemon-thread sleepers",
        code="import atexit, time\natexit.register(time.sleep, 30)\nresult = 'done'",
        expect=("ok",),
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="finaliser that sleeps",
        item="atexit / __del__ / non-daemon-thread sleepers",
        code="""
import time
class Sleeper:
    def __del__(self, sleep=time.sleep):
        sleep(30)
keep = Sleeper()
result = 'done'
""",
        expect=("ok", *STOPPED),
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="threads that do not end",
        item="atexit / __del__ / non-daemon-thread sleepers",
        code="import threading, time\nthreading.Thread(target=time.sleep, args=(30,)).start()\nresult = 'done'",
        expect=("ok", *STOPPED),
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="handler of the end that spins",
        item="atexit / __del__ / non-daemon-thread sleepers",
        code="""
import sys
def hook(*_):
    while True:
        pass
sys.excepthook = hook
sys.unraisablehook = hook
raise ValueError('look at me')
""",
        expect=("error", *SPINS),
        limits=short(),
    ),
)
