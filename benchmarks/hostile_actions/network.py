"""Code that wants to talk: over the network, to sockets of the host, through objects of the kernel."""

from __future__ import annotations

import functools

from benchmarks.hostile_actions.action import REFUSED, STOPPED, Action, short

_action = functools.partial(Action, kind="network", expect=REFUSED, attacks=("network", "outcome"))

_FAR = "it would leave the machine"

ACTIONS = (
    _action(
        name="tcp",
        item="TCP loopback + internet",
        code="""
import socket
with socket.create_connection(('127.0.0.1', TCP), 0.5) as link:
    link.sendall(b'x')
result = 'sent'
""",
    ),
    _action(
        name="tcp by urllib",
        item="TCP loopback + internet",
        code="""
import urllib.request
try:
    urllib.request.urlopen(f'http://127.0.0.1:{TCP}/', timeout=0.2)
except TimeoutError:
    pass
result = 'connected'
""",
    ),
    _action(
        name="tcp by asyncio",
        item="TCP loopback + internet",
        code="""
import asyncio
async def connect():
    await asyncio.open_connection('127.0.0.1', TCP)
asyncio.run(connect())
result = 'connected'
""",
    ),
    _action(
        name="tcp fast open",
        item="TCP loopback + internet",
        code="""
import socket
link = socket.socket()
link.sendto(b'x', 0x20000000, ('127.0.0.1', TCP))
result = 'sent'
""",
    ),
    _action(
        name="tcp to the internet",
        item="TCP loopback + internet",
        code="import socket\nsocket.create_connection(('192.0.2.1', 80), 0.3)\nresult = 'connected'",
        caged=_FAR,
    ),
    _action(
        name="udp",
        item="DNS + UDP",
        code="""
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', UDP))
result = 'sent'
""",
    ),
    _action(
        name="udp by sendmsg",
        item="DNS + UDP",
        code="""
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, ('127.0.0.1', UDP))
result = 'sent'
""",
    ),
    _action(
        name="udp by connect and write",
        item="DNS + UDP",
        code="""
import socket
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.connect(('127.0.0.1', UDP))
os.write(link.fileno(), b'x')
result = 'sent'
""",
    ),
    _action(
        name="names",
        item="DNS + UDP",
        code="import socket\nresult = socket.getaddrinfo('secret.example.invalid', 80)",
        attacks=(),
    ),
    _action(
        name="tcp over version 6",
        item="IPv6/raw/netlink/packet/vsock",
        code="import socket\nsocket.create_connection(('::1', TCP6), 0.5)\nresult = 'connected'",
        caged="not every host has version 6",
    ),
    _action(
        name="kinds of sockets",
        item="IPv6/raw/netlink/packet/vsock",
        code="""
import socket
kinds = [(2, 3, 1), (10, 3, 58), (16, 3, 0), (17, 3, 768), (40, 1, 0), (38, 5, 0), (15, 3, 2), (31, 3, 1), (29, 3, 1),
         (44, 3, 0), (2, 1, 262), (1, 5, 0), (1, 1, 0), (1, 2, 0), (2, 2, 17), (10, 1, 6)]
result = attempt(*[lambda k=k: socket.socket(*k).close() for k in kinds])
""",
        attacks=("outcome",),
    ),
    _action(
        name="netlink",
        item="IPv6/raw/netlink/packet/vsock",
        code="""
import socket
link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
link.bind((0, 0))
result = 'bound'
""",
        attacks=("outcome",),
    ),
    _action(
        name="vsock",
        item="IPv6/raw/netlink/packet/vsock",
        code="import socket\nsocket.socket(40, socket.SOCK_STREAM).connect((2, 1))\nresult = 'connected'",
        attacks=(),
    ),
    _action(
        name="socket by its path",
        item="unix path + abstract + docker.sock",
        code="import socket\nsocket.socket(socket.AF_UNIX).connect(UNIX)\nresult = 'connected'",
    ),
    _action(
        name="datagram socket by its path",
        item="unix path + abstract + docker.sock",
        code="""
import socket
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', UNIX_DATAGRAM)
result = 'sent'
""",
    ),
    _action(
        name="abstract socket",
        item="unix path + abstract + docker.sock",
        code="import socket\nsocket.socket(socket.AF_UNIX).connect(chr(0) + ABSTRACT)\nresult = 'connected'",
    ),
    _action(
        name="abstract datagram socket",
        item="unix path + abstract + docker.sock",
        code="""
import socket
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', chr(0) + ABSTRACT_DATAGRAM)
result = 'sent'
""",
    ),
    _action(
        name="services of the host",
        item="unix path + abstract + docker.sock",
        code="""
import socket
paths = ('/var/run/docker.sock', '/run/dbus/system_bus_socket', '/dev/log', '/run/systemd/private', '/tmp/.X11-unix/X0')
result = attempt(*[lambda p=p: socket.socket(socket.AF_UNIX).connect(p) for p in paths])
""",
        attacks=(),
    ),
    _action(
        name="by a link to a socket",
        item="unix path + abstract + docker.sock",
        code="""
import socket
os.symlink(UNIX, 's')
socket.socket(socket.AF_UNIX).connect('s')
result = 'connected'
""",
    ),
    _action(
        name="datagram pair",
        item="DGRAM-socketpair sendto",
        code="""
import socket
socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', UNIX_DATAGRAM)
result = 'sent'
""",
    ),
    _action(
        name="datagram pair to an abstract name",
        item="DGRAM-socketpair sendto",
        code="""
import socket
pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
pair[0].sendmsg([b'x'], [], 0, chr(0) + ABSTRACT_DATAGRAM)
result = 'sent'
""",
    ),
    _action(
        name="seqpacket pair",
        item="DGRAM-socketpair sendto",
        code="""
import socket
pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
pair[0].connect(UNIX)
result = 'connected'
""",
        attacks=(),
    ),
    _action(
        name="stream pair reconnected",
        item="DGRAM-socketpair sendto",
        code="""
import socket
pair = socket.socketpair()
pair[0].sendto(b'x', UNIX)
result = 'sent'
""",
        expect=("error", "ok"),
        attacks=(),
    ),
    _action(
        name="pass descriptors",
        item="DGRAM-socketpair sendto",
        code="""
import socket
pair = socket.socketpair()
socket.send_fds(pair[0], [b'x'], [0])
result = 'passed'
""",
        attacks=("outcome",),
    ),
    _action(
        name="io_uring",
        item="io_uring",
        code="import ctypes\nresult = call('io_uring_setup', 8, ctypes.create_string_buffer(256))",
        attacks=("outcome",),
        caged="some hosts turn it off",
    ),
    _action(
        name="listen",
        item="listen backdoor",
        code="""
import socket
door = socket.socket()
door.bind(('127.0.0.1', 0))
door.listen()
result = 'listening'
""",
        attacks=("outcome",),
    ),
    _action(
        name="listen and wait",
        item="listen backdoor",
        code="""
import http.server
http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler).handle_request()
""",
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="listen on a path outside",
        item="listen backdoor",
        code="""
import socket
socket.socket(socket.AF_UNIX).bind(HOME + '/s')
result = 'bound'
""",
        attacks=("files", "outcome"),
    ),
    _action(
        name="listen on an abstract name",
        item="listen backdoor",
        code="""
import socket
socket.socket(socket.AF_UNIX).bind(chr(0) + TRIP)
result = 'bound'
""",
        attacks=("outcome",),
    ),
    _action(
        name="System V shared memory",
        item="SysV shm / keyring / msgq",
        code="""
import ctypes
number = checked(libc().shmget(0, 4096, 0o1600))
checked(libc().shmctl(number, 0, None))
result = number
""",
        attacks=("outcome",),
    ),
    _action(
        name="System V messages",
        item="SysV shm / keyring / msgq",
        code="""
number = checked(libc().msgget(0, 0o1600))
checked(libc().msgctl(number, 0, None))
result = number
""",
        attacks=("outcome",),
    ),
    _action(
        name="System V semaphores",
        item="SysV shm / keyring / msgq",
        code="""
number = checked(libc().semget(0, 1, 0o1600))
checked(libc().semctl(number, 0, 0))
result = number
""",
        attacks=("outcome",),
    ),
    _action(
        name="key ring",
        item="SysV shm / keyring / msgq",
        code="result = call('keyctl', 0, -3, 1)",
        attacks=("outcome",),
        caged="some hosts refuse it",
    ),
    _action(
        name="POSIX queue",
        item="SysV shm / keyring / msgq",
        code="result = call('mq_open', TRIP.encode(), 0o102, 0o600, None)",
        attacks=("outcome",),
        caged="it would stay on the machine",
    ),
    _action(
        name="shared memory by multiprocessing",
        item="SysV shm / keyring / msgq",
        code="""
from multiprocessing import shared_memory
block = shared_memory.SharedMemory(create=True, size=4096)
block.close()
block.unlink()
result = 'shared'
""",
        attacks=("outcome",),
    ),
    _action(
        name="kernel interfaces",
        item="SysV shm / keyring / msgq",
        code="""
import ctypes
space = ctypes.create_string_buffer(256)
result = attempt(lambda: call('bpf', 0, space, 72), lambda: call('perf_event_open', space, 0, -1, -1, 0),
                 lambda: call('userfaultfd', 1), lambda: call('fanotify_init', 0, 0),
                 lambda: call('kexec_load', 0, 0, 0, 0),
                 lambda: call('init_module', space, 0, b''), lambda: call('quotactl', 0, None, 0, None))
""",
        attacks=(),
    ),
    _action(
        name="wait for an answer that never comes",
        item="TCP loopback + internet",
        code="import socket\npair = socket.socketpair()\npair[0].recv(1)",
        expect=STOPPED,
        attacks=("wall",),
        limits=short(),
    ),
)
