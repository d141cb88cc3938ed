"""Code that writes, opens or nests more than fits: output, results, files, descriptors, depth."""

from __future__ import annotations

import functools

from benchmarks.hostile_actions.action import EATS, FILLS, REFUSED, STOPPED, Action, short

_action = functools.partial(Action, kind="resources")

_FLOODS = ("limit:output", "limit:wall")
_DEEP = ("error", "limit:memory", "limit:wall")

ACTIONS = (
    _action(
        name="infinite stdout",
        item="infinite stdout",
        code="while True:\n    os.write(1, b'x' * 65536)",
        expect=_FLOODS,
        attacks=("output",),
        limits=short(),
    ),
    _action(
        name="infinite print",
        item="infinite stdout",
        code="while True:\n    print('x' * 200)",
        expect=_FLOODS,
        attacks=("output",),
        limits=short(),
    ),
    _action(
        name="infinite stderr",
        item="infinite stderr",
        code="while True:\n    os.write(2, b'x' * 65536)",
        expect=_FLOODS,
        attacks=("output",),
        limits=short(),
    ),
    _action(
        name="one line of 4 MiB",
        item="infinite stdout",
        code="print('x' * (4 << 20))\nresult = 1",
        expect=("ok", "limit:output"),
        attacks=("output",),
    ),
    _action(
        name="a megabyte as result",
        item="1 MiB result",
        code="result = 'x' * (1 << 20)",
        expect=("limit:result",),
        attacks=("result",),
    ),
    _action(
        name="a result of many numbers",
        item="1 MiB result",
        code="result = list(range(300_000))",
        expect=("limit:result",),
        attacks=("result",),
    ),
    _action(
        name="a result with 10,000 keys",
        item="10 000-key result",
        code="result = {str(number): number for number in range(10_000)}",
        expect=("limit:result", "ok", "error"),
        attacks=("result",),
    ),
    _action(
        name="a result that grows while it is read",
        item="1 MiB result",
        code="""
class Grows(list):
    def __iter__(self):
        while True:
            yield 'x' * 1000
    def __len__(self):
        return 1
result = Grows([1])
""",
        expect=("ok", "error", "limit:result", "limit:memory", "limit:wall"),
        limits=short(),
    ),
    _action(
        name="an error message of 10 MiB",
        item="1 MiB result",
        code="raise ValueError('x' * (10 << 20))",
        expect=REFUSED,
        attacks=("result",),
    ),
    _action(
        name="an error with an endless text",
        item="1 MiB result",
        code="""
class Endless(Exception):
    def __str__(self):
        while True:
            pass
raise Endless
""",
        expect=("error", "limit:wall", "limit:cpu"),
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="giant file",
        item="giant file",
        code="""
with open('big', 'wb') as file:
    for _ in range(100):
        file.write(bytes(1 << 20))
result = 'written'
""",
        expect=FILLS,
        attacks=("outcome",),
    ),
    _action(
        name="sparse file of a tebibyte",
        item="1 TiB sparse file",
        code="with open('big', 'wb') as file:\n    file.truncate(1 << 40)\nresult = os.stat('big').st_size",
        expect=FILLS,
        caged="some disks refuse it by themselves",
        attacks=("outcome",),
    ),
    _action(
        name="sparse file of 100 MiB",
        item="1 TiB sparse file",
        code="with open('big', 'wb') as file:\n    file.truncate(100 << 20)\nresult = os.stat('big').st_size",
        expect=FILLS,
        attacks=("outcome",),
    ),
    _action(
        name="preallocated file",
        item="giant file",
        code="os.posix_fallocate(os.open('big', os.O_CREAT | os.O_RDWR), 0, 100 << 20)\nresult = 'allocated'",
        expect=FILLS,
        attacks=("outcome",),
    ),
    _action(
        name="endless small files",
        item="endless small files",
        code="""
for number in range(20_000):
    with open(f'f{number}', 'wb') as file:
        file.write(b'x')
result = 'written'
""",
        expect=FILLS,
        attacks=("outcome",),
    ),
    _action(
        name="endless empty files",
        item="endless small files",
        code="""
for number in range(20_000):
    os.close(os.open(f'e{number}', os.O_CREAT | os.O_WRONLY))
result = 'made'
""",
        expect=FILLS,
        attacks=("outcome",),
    ),
    _action(
        name="endless links",
        item="endless small files",
        code="for number in range(20_000):\n    os.symlink('x', f'l{number}')\nresult = 'linked'",
        expect=FILLS,
        attacks=("outcome",),
    ),
    _action(
        name="many files of one MiB",
        item="many 8 MiB files",
        code="""
for number in range(120):
    with open(f'f{number}', 'wb') as file:
        file.write(bytes(1 << 20))
result = 'written'
""",
        expect=FILLS,
        attacks=("outcome",),
    ),
    _action(
        name="files without a name",
        item="many 8 MiB files",
        code="""
kept = []
for number in range(30):
    kept.append(open(f'f{number}', 'wb'))
    os.unlink(f'f{number}')
    for _ in range(6):
        kept[-1].write(bytes(1 << 20))
    kept[-1].flush()
result = len(kept)
""",
        expect=FILLS,
        attacks=("outcome",),
    ),
    _action(
        name="temporary files without a name",
        item="many 8 MiB files",
        code="""
kept = []
for number in range(30):
    kept.append(os.open('.', os.O_TMPFILE | os.O_RDWR, 0o600))
    for _ in range(6):
        os.write(kept[-1], bytes(1 << 20))
result = len(kept)
""",
        expect=FILLS,
        attacks=("outcome",),
    ),
    _action(
        name="fill /tmp",
        item="fill /tmp",
        code="""
with open('/tmp/' + TRIP, 'wb') as file:
    for _ in range(100):
        file.write(bytes(1 << 20))
result = 'filled'
""",
        expect=FILLS,
        attacks=("files", "outcome"),
    ),
    _action(
        name="fill /tmp by tempfile",
        item="fill /tmp",
        code="""
import tempfile
kept = []
for _ in range(30):
    kept.append(tempfile.TemporaryFile())
    for _ in range(6):
        kept[-1].write(bytes(1 << 20))
result = len(kept)
""",
        expect=FILLS,
        attacks=("outcome",),
    ),
    _action(
        name="descriptors",
        item="fd exhaustion",
        code="kept = [os.open('/dev/null', os.O_RDONLY) for _ in range(1000)]\nresult = len(kept)",
        expect=REFUSED,
        attacks=("outcome",),
    ),
    _action(
        name="pipes",
        item="fd exhaustion",
        code="""
kept = []
for _ in range(500):
    kept.append(os.pipe())
    os.set_blocking(kept[-1][1], False)
    os.write(kept[-1][1], bytes(65536))
result = len(kept)
""",
        expect=REFUSED,
        attacks=("outcome",),
    ),
    _action(
        name="a full pipe",
        item="fd exhaustion",
        code="reading, writing = os.pipe()\nwhile True:\n    os.write(writing, bytes(65536))",
        expect=STOPPED,
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="recursion without a limit",
        item="deep recursion",
        code="""
import sys
sys.setrecursionlimit(10 ** 9)
def deeper(n):
    return [deeper(n + 1)]
deeper(0)
""",
        expect=_DEEP,
        limits={"wall_s": 1.5},
    ),
    _action(
        name="recursion in C",
        item="deep recursion",
        code="""
import sys
sys.setrecursionlimit(10 ** 9)
nested = ()
for _ in range(1_000_000):
    nested = (nested,)
result = hash(nested)
""",
        expect=(*_DEEP, "ok"),
        limits={"wall_s": 1.5},
    ),
    _action(
        name="recursion in a thread",
        item="deep recursion",
        code="""
import sys, threading
threading.stack_size(1 << 20)
sys.setrecursionlimit(10 ** 9)
def deeper():
    deeper()
thread = threading.Thread(target=deeper)
thread.start()
thread.join()
""",
        expect=(*_DEEP, "ok"),
        limits={"wall_s": 1.5},
    ),
    _action(
        name="deep JSON read",
        item="200 000-deep JSON",
        code="import json\nresult = bool(json.loads('[' * 200_000 + ']' * 200_000))",
        expect=_DEEP,
    ),
    _action(
        name="deep result",
        item="200 000-deep JSON",
        code="result = 1\nfor _ in range(200_000):\n    result = [result]",
        expect=("error", "limit:result"),
    ),
    _action(
        name="result that holds itself",
        item="200 000-deep JSON",
        code="result = []\nresult.append(result)",
        expect=("error", "limit:result"),
    ),
    _action(
        name="deep source",
        item="200 000-deep JSON",
        code="compile('(' * 5000 + ')' * 5000, 'x', 'eval')",
        expect=_DEEP,
    ),
    _action(
        name="zip bomb",
        item="zip bomb",
        code="""
import zlib
packer = zlib.compressobj(1)
block = bytes(1 << 20)
packed = b''.join(packer.compress(block) for _ in range(500)) + packer.flush()
result = len(zlib.decompress(packed))
""",
        expect=(*EATS, "limit:wall"),
        attacks=("outcome",),
    ),
    _action(
        name="zip bomb on disk",
        item="zip bomb",
        code="""
import zipfile
with zipfile.ZipFile('b.zip', 'w', zipfile.ZIP_DEFLATED) as archive:
    with archive.open('zeros', 'w') as member:
        for _ in range(100):
            member.write(bytes(1 << 20))
zipfile.ZipFile('b.zip').extractall()
result = os.stat('zeros').st_size
""",
        expect=FILLS,
        attacks=("outcome",),
    ),
    _action(
        name="3,000 folders deep",
        item="3 000-deep directories",
        code="for _ in range(3000):\n    os.mkdir('d')\n    os.chdir('d')\nresult = 'deep'",
        expect=(*FILLS, "ok"),
    ),
    _action(
        name="folders with the longest names",
        item="3 000-deep directories",
        code="for number in range(1000):\n    os.mkdir('d' * 255)\n    os.chdir('d' * 255)\nresult = 'deep'",
        expect=(*FILLS, "ok"),
    ),
    _action(
        name="many folders",
        item="3 000-deep directories",
        code="for number in range(20_000):\n    os.mkdir(f'd{number}')\nresult = 'made'",
        expect=FILLS,
        attacks=("outcome",),
    ),
    _action(
        name="a number too long to print",
        item="1 MiB result",
        code="result = 10 ** 10_000",
        expect=("error", "ok", "limit:result"),
    ),
)
