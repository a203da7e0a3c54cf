# SPDX-License-Identifier: BSD-3-Clause
"""Writes wrong values into devices of an ibsim fabric, so that the judges can be judged. Speaks the
server's own datagrams (abstract UNIX sockets), as none of the outside tools can send such a Set."""

import os
import socket
import struct

CONTROL = struct.Struct("=4I64s")           # magic, client, type, length, data
CLIENT = struct.Struct("=3I32s")            # id, queue pair, issm, node
MAGIC, CONNECT = 0xDEADBEEF, 1
REQUEST = struct.Struct(">HxxHxxIII4xQ256s")  # dlid, slid, dqp, sqp, status, length, MAD
SMP = struct.Struct(">BBBBHBBQHHIQHH28x64s64s64s")
DIRECTED, GET, SET = 0x81, 1, 2
PORT_INFO, LINEAR_TABLE = 0x15, 0x19
PERMISSIVE = 0xFFFF
# Offsets in PortInfo (IBA 14.2.5.6) of the fields that are tampered with.
LID_AT, STATE_AT = 16, 32
DOWN = 1


class Saboteur:
    def __init__(self, lab, host):
        base = lab.socket
        self.control, self.data = (socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                                   for _ in range(2))
        for each in (self.control, self.data):
            each.settimeout(5)
        self.control.bind(abstract(f"{base}:ctl{os.getpid()}"))
        self.control.connect(abstract(f"{base}:ctl"))
        self.data.bind(abstract(f"{base}:in{os.getpid()}"))
        me = CLIENT.pack(os.getpid(), 0, 0, host.encode())
        self.control.send(CONTROL.pack(MAGIC, 0, CONNECT, len(me), me))
        _, _, kind, _, answer = CONTROL.unpack(self.control.recv(CONTROL.size))
        if kind != CONNECT:
            raise OSError("ibsim refused the connection")
        self.data.connect(abstract(f"{base}:out{CLIENT.unpack(answer[:CLIENT.size])[0]}"))
        self.transaction = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.control.close()
        self.data.close()

    def exchange(self, method, route, attribute, modifier, data=bytes(64)):
        """One directed-route SMP; the data of the answer."""
        self.transaction += 1
        path = bytes([0, *route]).ljust(64, b"\0")
        mad = SMP.pack(1, DIRECTED, 1, method, 0, 0, len(route), self.transaction, attribute, 0,
                       modifier, 0, PERMISSIVE, PERMISSIVE, data, path, bytes(64))
        self.data.send(REQUEST.pack(PERMISSIVE, PERMISSIVE, 0, 0, 0, len(mad), mad))
        answer = SMP.unpack(REQUEST.unpack(self.data.recv(REQUEST.size))[6])
        status = answer[4] & 0x7FFF
        if status:
            raise OSError(f"the device refused: status {status:#x}")
        return answer[14]

    def change_port(self, route, port, offset, value):
        data = bytearray(self.exchange(GET, route, PORT_INFO, port))
        data[STATE_AT] &= 0xF0  # no change of state, unless that is the sabotage
        data[STATE_AT + 1] &= 0x0F
        data[offset:offset + len(value)] = value
        self.exchange(SET, route, PORT_INFO, port, bytes(data))

    def change_lid(self, route, lid):
        self.change_port(route, 0, LID_AT, struct.pack(">H", lid))

    def drop_link(self, route, port):
        """Down for a moment: both ends come back in INIT, and nobody wakes them."""
        self.change_port(route, port, STATE_AT, bytes([DOWN]))

    def change_entry(self, route, lid, port):
        block = bytearray(self.exchange(GET, route, LINEAR_TABLE, lid // 64))
        block[lid % 64] = port
        self.exchange(SET, route, LINEAR_TABLE, lid // 64, bytes(block))


def abstract(name):
    # The server counts the closing NUL as part of the name.
    return b"\0" + name.encode() + b"\0"
