# SPDX-License-Identifier: BSD-3-Clause
"""HTTP with a program that listens at a path."""

import http.client
import socket


class ByPath(http.client.HTTPConnection):
    def __init__(self, path, timeout=60):
        super().__init__("localhost", timeout=timeout)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)
