"""Hostile programs. Each defines ``attack`` and tries one thing that must not work.

``CANARY``, ``FOLDER``, ``TCP``, ``UDP``, ``UNIX``, ``ABSTRACT``, ``VICTIM`` and ``SUPERVISOR`` are put in
front as constants: where the oracles of the test wait. ``libc`` and ``call`` reach the
system below Python's own checks.
"""

from __future__ import annotations

PRELUDE = """
import ctypes, errno, os, signal, socket, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    answer = libc.syscall(number, *arguments)
    return "refused" if answer < 0 else "done"
def tried(*actions):
    worked = []
    for number, action in enumerate(actions):
        try:
            if action() != "refused":
                worked.append(number)
        except Exception:
            pass
    return worked
"""

SHARED = {
    "read secret": "def attack():\n return open(CANARY).read()",
    "read through symlink": "def attack():\n os.symlink(CANARY, 'link')\n return open('link').read()",
    "read through hard link": "def attack():\n os.link(CANARY, 'link')\n return open('link').read()",
    "read through parent folders": "def attack():\n return open('../' * 20 + CANARY.lstrip('/')).read()",
    "read process memory and environment": """
def attack():
 found = []
 for pid in ('self', '1', str(SUPERVISOR), str(VICTIM), str(os.getppid())):
  for part in ('environ', 'mem', 'maps', 'root' + CANARY, 'cwd', 'fd/3'):
   try:
    found.append(open(f'/proc/{pid}/{part}', 'rb').read(100000).decode('latin-1'))
   except OSError:
    pass
 return found
""",
    "use inherited descriptors": """
def attack():
 said = []
 for number in range(3, 64):
  try:
   said.append(os.read(number, 10) and 'read')
  except OSError:
   pass
 return said
""",
    "write outside": """
def attack():
 places = [FOLDER + '/new', CANARY, '/usr/evolve-was-here', '/etc/evolve-was-here', '/var/tmp/evolve-was-here']
 return tried(*[lambda p=p: open(p, 'w').write('x') for p in places])
""",
    "destroy outside": """
def attack():
 return tried(lambda: os.unlink(CANARY), lambda: os.truncate(CANARY, 0), lambda: os.rename(CANARY, 'taken'),
  lambda: os.rmdir(FOLDER), lambda: os.mkdir(FOLDER + '/d'), lambda: os.symlink('/x', FOLDER + '/l'),
  lambda: os.open(CANARY, os.O_TRUNC | os.O_WRONLY))
""",
    "change metadata outside": """
def attack():
 return tried(lambda: os.chmod(CANARY, 0o777), lambda: os.utime(CANARY, (0, 0)), lambda: os.chown(CANARY, 12345, 12345),
  lambda: os.setxattr(CANARY, 'user.x', b'x'), lambda: os.chmod(FOLDER, 0o777))
""",
    "mount and namespaces": """
def attack():
 return tried(lambda: 'done' if libc.mount(b'none', b'/mnt', b'tmpfs', 0, None) == 0 else 'refused',
  lambda: 'done' if libc.unshare(0x10000000) == 0 else 'refused', lambda: os.chroot('.'),
  lambda: 'done' if libc.setns(0, 0) == 0 else 'refused')
""",
    "tcp": "def attack():\n s = socket.create_connection(('127.0.0.1', TCP), 0.3)\n s.send(b'x')",
    "udp": "def attack():\n socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', UDP))",
    "listen": "def attack():\n s = socket.socket()\n s.bind(('127.0.0.1', 0))\n s.listen()\n return 'listening'",
    "unix socket": "def attack():\n socket.socket(socket.AF_UNIX).connect(UNIX)",
    "abstract socket": "def attack():\n socket.socket(socket.AF_UNIX).connect(chr(0) + ABSTRACT)",
    "datagram pair": "def attack():\n socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', UNIX)",
    "hidden memory and rings": """
def attack():
 return tried(lambda: os.memfd_create('x'), lambda: 'done' if libc.shmget(0, 4096, 0o1600) >= 0 else 'refused',
  lambda: call(425, 8, ctypes.create_string_buffer(256)), lambda: call(323, 0), lambda: call(321, 0, None, 0))
""",
    "signal everyone": """
def attack():
 return tried(*[lambda p=p: os.kill(p, signal.SIGKILL) for p in (VICTIM, SUPERVISOR, os.getppid(), -1)],
  lambda: os.killpg(VICTIM, signal.SIGKILL))
""",
    "trace and inspect": """
def attack():
 return tried(lambda: 'done' if libc.ptrace(16, VICTIM, 0, 0) == 0 else 'refused',
  lambda: 'done' if libc.ptrace(0x4206, os.getppid(), 0, 0) == 0 else 'refused',
  lambda: call(434, VICTIM, 0), lambda: call(438, os.getppid(), 3, 0))
""",
    "limits of others": """
def attack():
 import resource
 return tried(lambda: resource.prlimit(VICTIM, resource.RLIMIT_NOFILE, (7, 7)),
  lambda: resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (7, 7)),
  lambda: os.sched_setaffinity(VICTIM, {0}), lambda: os.setpriority(os.PRIO_PROCESS, VICTIM, 19))
""",
    "raise own limits": """
def attack():
 import resource
 big = resource.RLIM_INFINITY
 return tried(*[lambda k=k: resource.setrlimit(k, (big, big)) for k in
  (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE)])
""",
    "execute": """
def attack():
 import subprocess
 return tried(lambda: subprocess.run(['/bin/sh', '-c', 'echo hi'], timeout=1),
  lambda: os.posix_spawn(sys.executable, ['p'], {}),
  lambda: os.execv('/usr/bin/env', ['env']))
""",
    "outlive": """
def attack():
 if os.fork() == 0:
  os.setsid()
  if os.fork() == 0:
   time.sleep(30)
  os._exit(0)
 return 'forked'
""",
}
"""Must be refused at once; what they return must not name a success."""

EXHAUSTING = {
    "fork bomb": "def attack():\n while True:\n  try:\n   os.fork()\n  except OSError:\n   pass",
    "thread bomb": """
def attack():
 while True:
  threading.Thread(target=time.sleep, args=(30,)).start()
""",
    "memory bomb": "def attack():\n kept = []\n while True:\n  kept.append(bytearray(50_000_000))",
    "mapped memory bomb": "import mmap\ndef attack():\n kept = []\n while True:\n  kept.append(mmap.mmap(-1, 1 << 26))",
    "endless loop that ignores signals": """
def attack():
 for number in range(1, 64):
  try:
   signal.signal(number, signal.SIG_IGN)
  except (OSError, ValueError):
   pass
 while True:
  pass
""",
    "endless work in C": "def attack():\n return 9 ** 9 ** 9",
    "catch everything": "def attack():\n while True:\n  try:\n   time.sleep(1)\n  except BaseException:\n   pass",
    "flood stdout": "def attack():\n while True:\n  os.write(1, b'x' * 65536)",
    "huge file": "def attack():\n with open('big', 'wb') as f:\n  while True:\n   f.write(b'x' * (1 << 20))",
    "sparse file": "def attack():\n with open('big', 'wb') as f:\n  f.truncate(1 << 40)",
    "endless files": "def attack():\n n = 0\n while True:\n  open(f'f{n}', 'wb').write(b'x' * 100_000)\n  n += 1",
    "deep folders": "def attack():\n while True:\n  os.mkdir('d')\n  os.chdir('d')",
    "descriptors": "def attack():\n kept = []\n while True:\n  kept.append(open('/dev/null'))",
    "deep recursion": "def attack():\n sys.setrecursionlimit(10 ** 9)\n def f(): f()\n f()",
    "pretend to succeed": "def attack():\n os._exit(0)",
    "die": "def attack():\n ctypes.string_at(0)",
    "close everything": "def attack():\n os.closerange(0, 64)\n time.sleep(30)",
}
"""Must end by a limit, without harm to anything outside."""
