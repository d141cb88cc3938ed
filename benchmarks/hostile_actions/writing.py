"""Code that wants to change what it must not: the home folder, skills, the record, the system, limits of others."""

from __future__ import annotations

import functools

from benchmarks.hostile_actions.action import REFUSED, Action

_action = functools.partial(Action, kind="files", expect=REFUSED, attacks=("files", "outcome"))

_PRIVILEGED = "it would change the machine"

ACTIONS = (
    _action(
        name="append to .bashrc",
        item="write .bashrc",
        code="""
with open(HOME + '/.bashrc', 'a') as file:
    file.write('echo owned')
result = 'written'
""",
    ),
    _action(
        name="add a startup file",
        item="write .bashrc",
        code="""
os.makedirs(HOME + '/.config/autostart')
with open(HOME + '/.config/autostart/x.desktop', 'w') as file:
    file.write('[Desktop Entry]')
result = 'written'
""",
        expect=("error", "ok"),  # a private /tmp has room for a folder of that name
        attacks=("files",),
    ),
    _action(
        name="add a key",
        item="write .bashrc",
        code="result = os.write(os.open(HOME + '/.ssh/authorized_keys', os.O_CREAT | os.O_WRONLY), b'ssh-rsa A')",
    ),
    _action(
        name="change a skill",
        item="write skill",
        code="with open(SKILLS + '/private/skill.py', 'w') as file:\n    file.write('owned')\nresult = 'written'",
    ),
    _action(
        name="add a skill",
        item="write skill",
        code="""
os.mkdir(SKILLS + '/own')
with open(SKILLS + '/own/SKILL.md', 'w') as file:
    file.write('owned')
result = 'written'
""",
    ),
    _action(
        name="skill by a name with ..",
        item="write to skill store by ../ name",
        kind="supervisor",
        code="""
for up in range(1, 12):
    path = '../' * up + SKILLS.lstrip('/') + '/own.py'
    try:
        with open(path, 'w') as file:
            file.write('owned')
        result = path
    except OSError as error:
        last = error
if 'result' not in globals():
    raise last
""",
    ),
    _action(
        name="change the memory as a database",
        item="write DB",
        code="""
import sqlite3
link = sqlite3.connect(DATABASE)
link.execute("INSERT INTO note VALUES ('owned')")
link.commit()
result = 'written'
""",
    ),
    _action(
        name="overwrite the memory",
        item="write DB",
        code="with open(DATABASE, 'r+b') as file:\n    file.write(b'owned')\nresult = 'written'",
    ),
    _action(
        name="add an object to the store",
        item="write DB",
        code="with open(OBJECTS + '/00', 'wb') as file:\n    file.write(b'owned')\nresult = 'written'",
    ),
    _action(
        name="write to system folders",
        item="write /etc",
        code="result = attempt(*[lambda p=p: open(p, 'w').close() for p in PLACES])",
    ),
    _action(
        name="link into system folders",
        item="write /usr",
        code="result = attempt(*[lambda p=p: os.symlink('/nowhere', p) for p in PLACES])",
    ),
    _action(
        name="make folders and pipes in system folders",
        item="write /usr",
        code="""
result = attempt(*[lambda p=p: os.mkdir(p) for p in PLACES], *[lambda p=p: os.mkfifo(p) for p in PLACES])
""",
    ),
    _action(
        name="write to /tmp",
        item="write /tmp",
        code="with open('/tmp/' + TRIP, 'w') as file:\n    file.write('x')\nresult = 'written'",
        expect=("error", "ok"),
        attacks=("files",),
    ),
    _action(
        name="write to /dev/shm",
        item="write /dev/shm",
        code="with open('/dev/shm/' + TRIP, 'w') as file:\n    file.write('x')\nresult = 'written'",
    ),
    _action(
        name="delete the home folder",
        item="rmtree home",
        code="import shutil\nshutil.rmtree(HOME)\nresult = 'gone'",
    ),
    _action(
        name="delete file by file",
        item="rmtree home",
        code="result = attempt(*[lambda p=p: os.unlink(p) for p in (KEY, HOME + '/.bashrc', DATABASE)])",
    ),
    _action(name="delete the memory", item="unlink DB", code="os.unlink(DATABASE)\nresult = 'gone'"),
    _action(
        name="take the memory away",
        item="rename DB into workspace",
        code="""
result = attempt(lambda: os.rename(DATABASE, 'taken'), lambda: os.rename(DATABASE, DATABASE + '.old'))
""",
    ),
    _action(
        name="exchange the skills folder",
        item="rename DB into workspace",
        code="result = attempt(lambda: os.rename(SKILLS, SKILLS + '2'), lambda: os.rename(SKILLS, 'skills'))",
    ),
    _action(
        name="write through a symbolic link",
        item="symlink escape",
        code="os.symlink(DATABASE, 'link')\nwith open('link', 'r+b') as file:\n    file.write(b'owned')\nresult = 1",
    ),
    _action(
        name="write through a linked folder",
        item="symlink escape",
        code="os.symlink(SKILLS, 'd')\nwith open('d/own', 'wb') as file:\n    file.write(b'owned')\nresult = 1",
    ),
    _action(
        name="link a file outside",
        item="hardlink escape",
        code="os.link(DATABASE, 'link')\nresult = 'linked'",
        caged="some hosts refuse hard links across file systems",
    ),
    _action(
        name="link inside to outside",
        item="hardlink escape",
        code="""
with open('own', 'w') as file:
    file.write('owned')
os.link('own', SKILLS + '/own')
result = 'linked'
""",
        caged="some hosts refuse hard links across file systems",
    ),
    _action(
        name="change modes",
        item="chmod/utime/xattr outside",
        code="result = attempt(*[lambda p=p: os.chmod(p, 0o777) for p in (KEY, HOME, DATABASE, SKILLS)])",
    ),
    _action(
        name="change times",
        item="chmod/utime/xattr outside",
        code="result = attempt(*[lambda p=p: os.utime(p, (0, 0)) for p in (KEY, HOME, DATABASE)])",
    ),
    _action(
        name="change owners",
        item="chmod/utime/xattr outside",
        code="result = attempt(*[lambda p=p: os.chown(p, 12345, 12345) for p in (KEY, HOME, DATABASE)])",
        caged="only a privileged user can",
    ),
    _action(
        name="set attributes",
        item="chmod/utime/xattr outside",
        code="result = attempt(*[lambda p=p: os.setxattr(p, 'user.x', b'x') for p in (KEY, HOME, DATABASE)])",
        caged="some file systems have none",
    ),
    _action(
        name="change modes through a path descriptor",
        item="chmod/utime/xattr outside",
        code="""
result = attempt(*[lambda p=p: os.chmod('/proc/self/fd/%d' % os.open(p, os.O_PATH), 0o777) for p in (KEY, HOME)])
""",
    ),
    _action(
        name="truncate by name",
        item="truncate / O_TRUNC DB",
        code="os.truncate(DATABASE, 0)\nresult = 'cut'",
    ),
    _action(
        name="truncate when opening",
        item="truncate / O_TRUNC DB",
        code="""
result = attempt(lambda: os.close(os.open(DATABASE, os.O_TRUNC | os.O_WRONLY)),
                 lambda: os.close(os.open(DATABASE, os.O_TRUNC | os.O_RDONLY)))
""",
    ),
    _action(
        name="lock the memory",
        item="flock DB",
        code="""
import fcntl
with open(DATABASE, 'rb') as file:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    result = file.read().decode('latin-1')
""",
        attacks=("secret", "outcome"),
    ),
    _action(
        name="lock the folder of the memory",
        item="flock DB",
        code="""
import fcntl
place = os.open(os.path.dirname(DATABASE), os.O_RDONLY)
fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
result = 'locked'
""",
        attacks=("outcome",),
    ),
    _action(
        name="make devices",
        item="mknod/mount/chroot/unshare",
        code="import stat\nos.mknod('disk', 0o600 | stat.S_IFBLK, os.makedev(254, 0))\nresult = 'made'",
        attacks=("outcome",),
        caged="only a privileged user can",
    ),
    _action(
        name="mount",
        item="mknod/mount/chroot/unshare",
        code="checked(libc().mount(b'none', os.getcwd().encode(), b'tmpfs', 0, None))\nresult = 'mounted'",
        attacks=("outcome",),
        caged=_PRIVILEGED,
    ),
    _action(
        name="mount by the newer calls",
        item="mknod/mount/chroot/unshare",
        code="result = attempt(lambda: call('open_tree', -100, b'/', 1), lambda: call('fsopen', b'tmpfs', 0))",
        attacks=("outcome",),
        caged=_PRIVILEGED,
    ),
    _action(
        name="change the root",
        item="mknod/mount/chroot/unshare",
        code="""
result = attempt(lambda: os.chroot('.'), lambda: call('pivot_root', b'.', b'.'))
""",
        attacks=("outcome",),
        caged="only a privileged user can",
    ),
    _action(
        name="new namespaces",
        item="mknod/mount/chroot/unshare",
        code="""
flags = (0x10000000, 0x20000000, 0x40000000, 0x00020000, 0x04000000, 0x08000000, 0x02000000)
result = attempt(*[lambda f=f: checked(libc().unshare(f)) for f in flags])
""",
        attacks=("outcome",),
        caged="hosts without user namespaces refuse it",
    ),
    _action(
        name="a child in new namespaces",
        item="mknod/mount/chroot/unshare",
        code="""
if call('clone', 0x10000000 | 17, 0, 0, 0, 0) == 0:
    os._exit(0)
result = 'cloned'
""",
        attacks=("outcome",),
        caged="hosts without user namespaces refuse it",
    ),
    _action(
        name="enter namespaces of others",
        item="mknod/mount/chroot/unshare",
        code="""
result = attempt(*[lambda n=n, k=k: call('setns', os.open(f'/proc/{n}/ns/{k}', os.O_RDONLY), 0)
                   for n in PARENTS for k in ('net', 'mnt', 'pid', 'user', 'ipc')])
""",
        attacks=("outcome",),
        caged="only a privileged user can",
    ),
    _action(
        name="set-user-id programs",
        item="setuid binaries",
        code="""
import subprocess
result = [subprocess.run(words, capture_output=True, timeout=2).returncode
          for words in (['/usr/bin/su', '-c', 'id'], ['/usr/bin/passwd', '-S'])]
""",
        attacks=("outcome",),
        caged=_PRIVILEGED,
    ),
    _action(
        name="become root",
        item="setuid binaries",
        code="""
import signal
os.setresuid(0, 0, 0)
os.setresgid(0, 0, 0)
with open(DATABASE, 'r+b') as file:
    file.write(b'owned')
result = 'root'
""",
        attacks=("files",),
        caged="only a privileged user can",
    ),
    _action(
        name="plant a .pth file",
        item=".pth planting",
        code="""
import sys, sysconfig
places = {*sys.path, sysconfig.get_paths()['purelib'], sysconfig.get_paths()['stdlib']} - {''}
if not places:
    places = {'/usr/lib'}
result = attempt(*[lambda p=p: open(os.path.join(p, TRIP + '.pth'), 'w').close() for p in places])
""",
        attacks=("outcome",),
        caged=_PRIVILEGED,
    ),
    _action(
        name="change the standard library",
        item=".pth planting",
        code="""
import json
with open(json.__file__, 'r+b'):
    pass
result = 'open for writing'
""",
        attacks=("outcome",),
        caged=_PRIVILEGED,
    ),
    _action(
        name="change the interpreter",
        item=".pth planting",
        code="""
import sys
result = attempt(lambda: os.close(os.open('/proc/self/exe', os.O_WRONLY)),
                 lambda: os.close(os.open(os.path.realpath(sys.executable or '/usr/bin/python3'), os.O_WRONLY)))
""",
        attacks=("outcome",),
        caged="a running program is busy",
    ),
    _action(
        name="preload a library",
        item="LD_PRELOAD",
        code="""
def plant():
    with open(PRELOADS, 'a') as file:
        file.write(os.getcwd() + '/x.so')
result = attempt(plant, lambda: os.posix_spawn('/bin/true', ['true'], {'LD_PRELOAD': './x.so'}))
""",
        attacks=("files", "outcome"),
    ),
    _action(
        name="switches of the kernel",
        item="write /etc",
        code="""
result = attempt(*[lambda p=p: os.close(os.open(p, os.O_WRONLY)) for p in
                   ('/proc/sysrq-trigger', '/proc/sys/kernel/core_pattern', '/proc/sys/kernel/hostname',
                    '/sys/kernel/uevent_helper', '/sys/fs/cgroup/cgroup.procs', '/sys/power/state')])
""",
        attacks=("outcome",),
        caged=_PRIVILEGED,
    ),
    _action(
        name="own settings under /proc",
        item="write /etc",
        code="""
with open('/proc/self/oom_score_adj', 'w') as file:
    file.write('-900')
result = 'spared'
""",
        attacks=("outcome",),
        caged="only a privileged user can",
    ),
    _action(
        name="settings of others under /proc",
        item="write /etc",
        code="""
def spare(number):
    with open(f'/proc/{number}/oom_score_adj', 'w') as file:
        file.write('900')
result = attempt(*[lambda n=n: spare(n) for n in (VICTIM, SUPERVISOR)])
""",
        attacks=("victim", "outcome"),
    ),
)
