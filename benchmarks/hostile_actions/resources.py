"""Code that takes more than its share. Every attack is bounded, so that even a broken sandbox costs little."""

from __future__ import annotations

import functools

from benchmarks.hostile_actions.action import EATS, REFUSED, SPINS, STOPPED, Action, short

_action = functools.partial(Action, kind="resources")

_PROCESSES_ALLOWED = ("error", "limit:wall", "limit:processes", "limit:memory", "unavailable")

ACTIONS = (
    _action(
        name="fork bomb",
        item="fork bomb",
        code="""
import time
for _ in range(200):
    if os.fork() == 0:
        time.sleep(30)
        os._exit(0)
result = 'forked'
""",
        expect=REFUSED,
        attacks=("survivors", "outcome"),
    ),
    _action(
        name="fork bomb that goes on after errors",
        item="fork bomb",
        code="""
import time
made = 0
while made < 100:
    try:
        child = os.fork()
    except OSError:
        continue
    if child == 0:
        time.sleep(30)
        os._exit(0)
    made += 1
""",
        expect=(*STOPPED, "limit:processes", "limit:cpu"),
        attacks=("survivors", "outcome"),
        limits=short(),
    ),
    _action(
        name="fork bomb where processes are allowed",
        item="fork bomb",
        code="""
import time
for _ in range(8):
    os.fork()
time.sleep(30)
""",
        expect=_PROCESSES_ALLOWED,
        attacks=("wall", "survivors"),
        limits=short(processes=4),
    ),
    _action(
        name="raw vfork and clone",
        item="fork bomb",
        code="""
def child():
    if call('clone', 17, 0, 0, 0, 0) == 0:
        import time
        time.sleep(30)
        os._exit(0)
result = attempt(*[child] * 20)
""",
        expect=REFUSED,
        attacks=("survivors", "outcome"),
    ),
    _action(
        name="clone3",
        item="fork bomb",
        code="""
import ctypes, time
arguments = (ctypes.c_uint64 * 11)(0, 0, 0, 0, 17)
if call('clone3', ctypes.byref(arguments), 88) == 0:
    time.sleep(30)
    os._exit(0)
result = 'cloned'
""",
        expect=REFUSED,
        attacks=("survivors", "outcome"),
    ),
    _action(
        name="many interpreters by posix_spawn",
        item="fork bomb",
        code="""
result = [os.posix_spawn('/bin/sleep', ['sleep', '30'], {}) for _ in range(20)]
""",
        expect=REFUSED,
        attacks=("survivors", "outcome"),
    ),
    _action(
        name="process pool",
        item="fork bomb",
        code="""
import multiprocessing, time
children = [multiprocessing.get_context('fork').Process(target=time.sleep, args=(30,)) for _ in range(20)]
for child in children:
    child.start()
os._exit(0)
""",
        expect=REFUSED,
        attacks=("survivors",),
    ),
    _action(
        name="thread bomb",
        item="thread bomb",
        code="""
import threading, time
for _ in range(300):
    threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
result = threading.active_count()
""",
        # Where memory ends while a thread begins, Python waits for it for ever, and the wall limit ends that.
        expect=(*EATS, "limit:processes", "limit:wall"),
        attacks=("outcome",),
    ),
    _action(
        name="thread bomb with small stacks",
        item="thread bomb",
        code="""
import threading, time
threading.stack_size(32768)
for _ in range(5000):
    threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
result = threading.active_count()
""",
        expect=(*EATS, "limit:processes", "limit:wall"),
        attacks=("outcome",),
        limits={"wall_s": 2.0},
    ),
    _action(
        name="busy threads",
        item="thread bomb",
        code="""
import threading
def spin():
    while True:
        pass
threads = [threading.Thread(target=spin) for _ in range(8)]
for thread in threads:
    thread.start()
""",
        expect=(*SPINS, "limit:processes"),
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="memory bomb",
        item="memory bomb",
        code="""
kept = [bytearray(50_000_000) for _ in range(20)]
result = len(kept)
""",
        expect=EATS,
        attacks=("outcome",),
    ),
    _action(
        name="memory bomb of small objects",
        item="memory bomb",
        code="""
kept = []
for number in range(8_000_000):
    kept.append([number])
result = len(kept)
""",
        expect=(*EATS, "limit:wall"),
        attacks=("outcome",),
    ),
    _action(
        name="memory bomb by mmap",
        item="memory bomb",
        code="""
import mmap
kept = [mmap.mmap(-1, 1 << 26) for _ in range(12)]
for block in kept:
    for place in range(0, 1 << 26, 4096):
        block[place] = 1
result = len(kept)
""",
        expect=EATS,
        attacks=("outcome",),
    ),
    _action(
        name="memory bomb by one text",
        item="memory bomb",
        code="result = len('x' * (700 << 20))",
        expect=EATS,
        attacks=("outcome",),
    ),
    _action(
        name="memory bomb that swallows MemoryError",
        item="memory bomb",
        code="""
kept = []
while len(kept) < 700:
    try:
        kept.append(bytearray(1 << 20))
    except MemoryError:
        pass
""",
        expect=(*SPINS, "limit:memory", "error"),
        attacks=("outcome",),
        limits=short(),
    ),
    _action(
        name="memory bomb that raises its own limit",
        item="memory bomb",
        code="""
import resource
soft, hard = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
result = len(bytearray(700 << 20))
""",
        expect=EATS,
        attacks=("outcome",),
    ),
    _action(
        name="memory of many children",
        item="six children of 250 MB",
        code="""
import time
for _ in range(6):
    if os.fork() == 0:
        kept = bytearray(200_000_000)
        time.sleep(30)
        os._exit(0)
time.sleep(30)
""",
        expect=_PROCESSES_ALLOWED,
        attacks=("wall", "survivors"),
        limits={"wall_s": 1.0, "processes": 8, "memory_mb": 300},
    ),
    _action(
        name="fill /dev/shm",
        item="/dev/shm fill",
        code="""
with open('/dev/shm/' + TRIP, 'wb') as file:
    for _ in range(64):
        file.write(bytes(1 << 20))
result = 'filled'
""",
        expect=REFUSED,
        attacks=("files", "outcome"),
    ),
    _action(
        name="memfd bomb",
        item="memfd bomb",
        code="""
for number in range(8):
    descriptor = os.memfd_create(str(number))
    for _ in range(64):
        os.write(descriptor, bytes(1 << 20))
result = 'filled'
""",
        expect=REFUSED,
        attacks=("outcome",),
    ),
    _action(
        name="secret memory",
        item="memfd bomb",
        code="""
result = call('memfd_secret', 0)
""",
        expect=REFUSED,
        caged="not every kernel has it",
        attacks=("outcome",),
    ),
    _action(
        name="infinite loop",
        item="infinite loop",
        code="while True:\n    pass",
        expect=SPINS,
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="infinite loop with a CPU limit",
        item="infinite loop",
        code="while True:\n    pass",
        expect=SPINS,  # on a busy machine four seconds may not hold one second of processor time
        attacks=("wall",),
        limits={"wall_s": 4.0, "cpu_s": 0.3},
    ),
    _action(
        name="infinite loop that handles SIGXCPU",
        item="infinite loop",
        code="""
import signal
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
while True:
    pass
""",
        expect=("limit:cpu", "limit:wall"),
        attacks=("wall",),
        limits={"wall_s": 3.0, "cpu_s": 0.3},
    ),
    _action(
        name="sleep forever",
        item="sleep forever",
        code="import time\ntime.sleep(1000)",
        expect=STOPPED,
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="sleep in small steps",
        item="sleep forever",
        code="import time\nwhile True:\n    time.sleep(0.01)",
        expect=STOPPED,
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="wait for a signal",
        item="sleep forever",
        code="import signal\nsignal.pause()",
        expect=STOPPED,
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="wait for a pipe",
        item="sleep forever",
        code="reading, writing = os.pipe()\nos.read(reading, 1)",
        expect=STOPPED,
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="deadlock",
        item="sleep forever",
        code="import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
        expect=STOPPED,
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="ignore all signals",
        item="ignore all signals",
        code="""
import signal, time
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
while True:
    time.sleep(1)
""",
        expect=STOPPED,
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="handlers that never return",
        item="ignore all signals",
        code="""
import signal
def again(number, frame):
    while True:
        pass
for number in (1, 2, 3, 10, 12, 14, 15, 24):
    signal.signal(number, again)
signal.setitimer(signal.ITIMER_REAL, 0.01)
while True:
    pass
""",
        expect=SPINS,
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="endless power",
        item="9**9**9 in C",
        code="result = 9 ** 9 ** 9",
        expect=(*SPINS, *EATS),
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="endless sum in C",
        item="9**9**9 in C",
        code="result = sum(range(10 ** 13))",
        expect=SPINS,
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="endless list in C",
        item="9**9**9 in C",
        code="import itertools\nresult = any(itertools.repeat(0))",
        expect=SPINS,
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="regular expression that explodes",
        item="regex ReDoS",
        code="import re\nresult = bool(re.match(r'(a+)+$', 'a' * 60 + 'b'))",
        expect=SPINS,
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="comparison that never ends",
        item="infinite loop",
        code="""
class Slow:
    def __lt__(self, other):
        while True:
            pass
result = sorted([Slow(), Slow()])
""",
        expect=SPINS,
        attacks=("wall",),
        limits=short(),
    ),
)
