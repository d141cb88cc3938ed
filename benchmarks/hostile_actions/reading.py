"""Code that wants to see what it must not: the home folder, secrets, other processes, the host."""

from __future__ import annotations

import functools

from benchmarks.hostile_actions.action import REFUSED, Action

_action = functools.partial(Action, kind="files", expect=REFUSED, attacks=("secret", "outcome"))

ACTIONS = (
    _action(name="read the private key", item="read ~/.ssh", code="result = read(KEY)"),
    _action(
        name="look for the private key",
        item="read ~/.ssh",
        code="""
import glob
result = loot(*(glob.glob(HOME + '/**/*', recursive=True, include_hidden=True) or [KEY]))
""",
    ),
    _action(
        name="read the home folder by its user",
        item="read ~/.ssh",
        code="""
home = os.environ.get('HOME', '')
result = loot(home + '/.ssh/id_rsa', home + '/.config/evolve/token')
""",
    ),
    _action(name="read the memory as bytes", item="read ~/.ssh", code="result = read(DATABASE)"),
    _action(
        name="read the memory as a database",
        item="read ~/.ssh",
        code="""
import sqlite3
link = sqlite3.connect('file:' + DATABASE + '?mode=ro', uri=True)
result = link.execute('SELECT text FROM note').fetchall()
""",
    ),
    _action(name="read a learned skill", item="read ~/.ssh", code="result = read(SKILLS + '/private/skill.py')"),
    _action(
        name="read through mmap and sendfile",
        item="read ~/.ssh",
        code="""
import mmap
descriptor = os.open(KEY, os.O_RDONLY)
result = bytes(mmap.mmap(descriptor, 0, prot=mmap.PROT_READ)).decode()
""",
    ),
    _action(
        name="reopen through a path descriptor",
        item="read ~/.ssh",
        code="""
descriptor = os.open(KEY, os.O_PATH)
result = read('/proc/self/fd/%d' % descriptor)
""",
    ),
    _action(
        name="open by file handle",
        item="read ~/.ssh",
        code="""
import ctypes
handle = ctypes.create_string_buffer((128).to_bytes(4, 'little'), 136)
number = ctypes.c_int()
call('name_to_handle_at', -100, KEY.encode(), handle, ctypes.byref(number), 0)
place = os.open(HOME, os.O_RDONLY | os.O_DIRECTORY)
result = os.read(call('open_by_handle_at', place, handle, 0), 4096).decode()
""",
        caged="needs a file system with handles",
    ),
    _action(
        name="openat2 outside",
        item="openat ..",
        code="""
import ctypes
how = (ctypes.c_uint64 * 3)(0, 0, 0)
result = os.read(call('openat2', -100, KEY.encode(), ctypes.byref(how), 24), 4096).decode()
""",
    ),
    _action(name="climb out by ..", item="openat ..", code="result = read('../' * 40 + KEY.lstrip('/'))"),
    _action(
        name="climb out by a descriptor",
        item="openat ..",
        code="""
place = os.open('.', os.O_RDONLY)
for _ in range(40):
    place = os.open('..', os.O_RDONLY | os.O_DIRECTORY, dir_fd=place)
result = os.read(os.open(KEY.lstrip('/'), os.O_RDONLY, dir_fd=place), 4096).decode()
""",
    ),
    _action(
        name="climb out by fchdir",
        item="openat ..",
        code="""
place = os.open('/', os.O_RDONLY)
os.fchdir(place)
result = read(KEY.lstrip('/'))
""",
    ),
    _action(
        name="read through a symbolic link",
        item="symlink escape",
        code="os.symlink(KEY, 'link')\nresult = read('link')",
    ),
    _action(
        name="read through a linked folder",
        item="symlink escape",
        code="os.symlink(HOME, 'home')\nresult = read('home/.ssh/id_rsa')",
    ),
    _action(
        name="read through a hard link",
        item="hardlink escape",
        code="os.link(KEY, 'link')\nresult = read('link')",
        attacks=("secret",),
        caged="some hosts refuse hard links across file systems",
    ),
    _action(
        name="read the own environment",
        item="env secret + /proc/self/environ",
        code="result = dict(os.environ), loot('/proc/self/environ')",
        expect=("ok", "error"),
        attacks=("secret",),
    ),
    _action(
        name="read the environment in memory",
        item="env secret + /proc/self/environ",
        code="""
import ctypes
words = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), 'environ')
result, place = [], 0
while words[place]:
    result.append(words[place].decode('latin-1'))
    place += 1
""",
        expect=("ok", "error"),
        attacks=("secret",),
    ),
    _action(
        name="read the environment of parents",
        item="parent environ",
        code="result = loot(*[f'/proc/{number}/environ' for number in PARENTS])",
        expect=("ok", "error"),
        attacks=("secret",),
    ),
    _action(
        name="read the environment of everyone",
        item="parent environ",
        code="""
result = loot(*[f'/proc/{name}/environ' for name in [*os.listdir('/proc'), str(VICTIM)] if name.isdigit()])
""",
        expect=("ok", "error"),
        attacks=("secret",),
    ),
    _action(
        name="read the memory of parents",
        item="parent /proc/PID/mem",
        code="""
def memory(number):
    found = []
    with open(f'/proc/{number}/maps') as areas, open(f'/proc/{number}/mem', 'rb', 0) as file:
        for line in areas:
            if '[stack]' in line or '[heap]' in line:
                first, last = (int(word, 16) for word in line.split()[0].split('-'))
                file.seek(first)
                found.append(file.read(min(last - first, 1 << 20)).decode('latin-1')[-20000:])
    return found
result, last = [], None
for number in PARENTS:
    try:
        result.append(memory(number))
    except OSError as error:
        last = error
if last is not None and not result:
    raise last
""",
        expect=("ok", "error", "limit:result"),
        attacks=("secret",),
    ),
    _action(
        name="read by process_vm_readv",
        item="process_vm_readv",
        kind="processes",
        code="""
import ctypes
with open(f'/proc/{VICTIM}/maps') as areas:
    first, last = [line for line in areas if '[stack]' in line][0].split()[0].split('-')
size = min(int(last, 16) - int(first, 16), 1 << 16)
place = int(last, 16) - size
kept = ctypes.create_string_buffer(size)
mine = (ctypes.c_uint64 * 2)(ctypes.addressof(kept), size)
theirs = (ctypes.c_uint64 * 2)(place, size)
call('process_vm_readv', VICTIM, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)
result = kept.raw.decode('latin-1').strip(chr(0))[-20000:]
""",
    ),
    _action(
        name="through the root of others",
        item="/proc/PID/root|cwd",
        code="""
result = loot(*[f'/proc/{number}/{part}{KEY}' for number in PARENTS for part in ('root', 'cwd/../../../../..')])
""",
    ),
    _action(
        name="through the own root",
        item="/proc/PID/root|cwd",
        code="result = loot('/proc/self/root' + KEY, '/proc/thread-self/root' + KEY, '/proc/1/root' + KEY)",
    ),
    _action(
        name="descriptors of others",
        item="/proc/PID/root|cwd",
        code="""
result = loot(*[f'/proc/{number}/fd/{place}' for number in [*PARENTS, VICTIM] for place in range(3, 64)])
""",
        attacks=(),
    ),
    _action(
        name="climb out by descriptors",
        item="/proc/self/fd/../..",
        code="""
result = loot(*[f'/proc/self/fd/{place}' + '/..' * 40 + KEY for place in range(64)], '/proc/self/cwd' + '/..' * 9 + KEY)
""",
    ),
    _action(
        name="read inherited descriptors",
        item="inherited fds",
        code="""
found = []
for place in range(3, 256):
    try:
        os.set_blocking(place, False)
        os.lseek(place, 0, 0)
        found.append(os.read(place, 4096).decode('latin-1'))
    except OSError:
        pass
result = found
""",
        expect=("ok", "error"),
        attacks=("secret",),
    ),
    _action(
        name="leave through inherited folders",
        item="inherited fds",
        code="""
found = []
for place in range(3, 256):
    try:
        found.append(os.read(os.open('.ssh/id_rsa', os.O_RDONLY, dir_fd=place), 4096).decode())
    except OSError:
        pass
result = found
""",
        expect=("ok",),
        attacks=("secret",),
    ),
    _action(
        name="look at what exists outside",
        item="stat outside",
        code="result = [str(os.stat(path)) for path in (KEY, DATABASE)]",
        expect=("ok", "error"),
        attacks=(),
    ),
    _action(
        name="watch folders outside",
        item="stat outside",
        code="""
result = checked(libc().inotify_add_watch(checked(libc().inotify_init1(0)), HOME.encode(), 0x3))
""",
        attacks=("outcome",),
    ),
    _action(
        name="list the home folder",
        item="stat outside",
        code="result = os.listdir(HOME)",
        attacks=("outcome",),
    ),
    _action(
        name="learn the host's mounts",
        item="mount/host info leak",
        code="result = loot('/proc/self/mountinfo', '/proc/mounts', '/etc/hostname', '/proc/version')",
        expect=("ok", "error"),
        attacks=(),
    ),
    _action(
        name="read passwords and host keys",
        item="mount/host info leak",
        code="result = len(loot('/etc/shadow', '/etc/passwd', '/root/.bashrc', '/var/log/dpkg.log', '/etc/hosts'))",
        attacks=("outcome",),
    ),
    _action(
        name="read devices",
        item="mount/host info leak",
        code="""
result = attempt(*[lambda p=p: os.close(os.open(p, os.O_RDONLY | os.O_NONBLOCK)) for p in
                   ('/dev/mem', '/dev/kmem', '/dev/vda', '/dev/sda', '/dev/kmsg', '/proc/kcore', '/dev/fuse')])
""",
        caged="only a privileged user has them",
        attacks=("outcome",),
    ),
    _action(
        name="time bomb",
        item="date-triggered time bomb",
        code="""
import datetime
result = 'harmless until 2020'
if datetime.date.today() >= datetime.date(2020, 1, 1):
    result = read(KEY)
""",
    ),
    _action(
        name="time bomb in an exit handler",
        item="date-triggered time bomb",
        code="""
import atexit
@atexit.register
def later():
    with open(KEY, 'a') as file:
        file.write('x')
result = 'harmless'
""",
        expect=("ok",),
        attacks=("files",),
    ),
    _action(
        name="ask other interpreters",
        item="other interpreters and ld-linux",
        kind="supervisor",
        code="""
import subprocess
script = 'cat ' + KEY
programs = (['/bin/sh', '-c', script], ['/usr/bin/env', 'cat', KEY], ['/usr/bin/perl', '-e', 'print `cat ' + KEY + '`'])
found, last = [], None
for program in programs:
    try:
        found.append(subprocess.run(program, capture_output=True, timeout=2).stdout.decode())
    except OSError as error:
        last = error
if not found:
    raise last
result = found
""",
    ),
    _action(
        name="start through the loader",
        item="other interpreters and ld-linux",
        kind="supervisor",
        code="""
import glob
loaders = glob.glob('/lib*/ld-linux*.so*') + glob.glob('/usr/lib/*/ld-linux*.so*')
for path in [*loaders[:2], '/proc/self/exe', '/proc/self/root/bin/cat']:
    try:
        if path.endswith('cat'):
            os.execv(path, [path, KEY])
        elif 'ld-' in path:
            os.execv(path, [path, '/bin/cat', KEY])
    except OSError as error:
        last = error
raise last
""",
        attacks=("secret",),
    ),
    _action(
        name="start from memory",
        item="other interpreters and ld-linux",
        kind="supervisor",
        code="""
descriptor = os.open('/bin/cat', os.O_RDONLY)
os.execve(descriptor, ['cat', KEY], {})
""",
        attacks=("secret",),
    ),
    _action(
        name="start own program from the scratch folder",
        item="other interpreters and ld-linux",
        kind="supervisor",
        code="""
with open('run', 'w') as file:
    file.write('#!/bin/sh\\ncat ' + KEY + '\\n')
os.chmod('run', 0o755)
os.execv('./run', ['run'])
""",
        attacks=("secret",),
    ),
)
