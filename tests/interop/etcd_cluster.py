# SPDX-License-Identifier: BSD-3-Clause
"""Three members of Debian's etcd on loopback, in a folder, and questions to them by the gateway."""

import base64
import contextlib
import json
import signal
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path


def free_ports(count):
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def decoded(text):
    return base64.b64decode(text).decode()


class Etcd:
    """`secured`: TLS, with certificates on both sides, and a user who may write below /heddle."""

    def __init__(self, folder, secured=False):
        self.folder, self.secured = Path(folder), secured
        ports = free_ports(6)
        self.clients, self.peers = ports[:3], ports[3:]
        self.processes = [None] * 3
        self.token = None
        self.scheme = "https" if secured else "http"
        self.tls = None
        if secured:
            self.make_certificates()
        for member in range(3):
            self.start(member)
        self.wait(lambda: self.ask("kv/range", key=encoded("a")) is not None, "a leader")
        if secured:
            self.make_user()

    def url(self, member):
        return f"{self.scheme}://127.0.0.1:{self.clients[member]}"

    def path(self, name):
        return str(self.folder / name)

    def make_certificates(self):
        def openssl(*words):
            subprocess.run(["openssl", *words], check=True, cwd=self.folder,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=30)
        key = "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"
        openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ca",
                "-days", "2")
        # Without a common name: with one, the gateway would log in as that.
        openssl("req", *key, "-keyout", "etcd.key", "-out", "etcd.csr", "-subj", "/O=etcd")
        Path(self.folder, "names").write_text("subjectAltName=IP:127.0.0.1\n")
        openssl("x509", "-req", "-in", "etcd.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                "-CAcreateserial", "-out", "etcd.pem", "-days", "2", "-extfile", "names")
        self.tls = ssl.create_default_context(cafile=self.path("ca.pem"))
        self.tls.load_cert_chain(self.path("etcd.pem"), self.path("etcd.key"))

    def make_user(self):
        end = encoded("/heddle0")
        for what, say in (
                ("auth/user/add", {"name": "root", "password": "top"}),
                ("auth/role/add", {"name": "root"}),
                ("auth/user/grant", {"user": "root", "role": "root"}),
                ("auth/user/add", {"name": "heddle", "password": "a secret"}),
                ("auth/role/add", {"name": "keeper"}),
                ("auth/role/grant", {"name": "keeper", "perm": {
                    "permType": "READWRITE", "key": encoded("/heddle/"), "range_end": end}}),
                ("auth/user/grant", {"user": "heddle", "role": "keeper"}),
                ("auth/enable", {})):
            if self.ask(what, **say) is None:
                raise RuntimeError(f"etcd refuses {what}")
        self.token = self.ask("auth/authenticate", name="root", password="top")["token"]

    def start(self, member):
        words = ["etcd", "--name", f"m{member}", "--data-dir", f"etcd-{member}",
                 "--listen-client-urls", self.url(member),
                 "--advertise-client-urls", self.url(member),
                 "--listen-peer-urls", f"http://127.0.0.1:{self.peers[member]}",
                 "--initial-advertise-peer-urls", f"http://127.0.0.1:{self.peers[member]}",
                 "--initial-cluster",
                 ",".join(f"m{n}=http://127.0.0.1:{port}" for n, port in enumerate(self.peers)),
                 "--initial-cluster-token", self.folder.name]
        if self.secured:
            words += ["--cert-file", "etcd.pem", "--key-file", "etcd.key",
                      "--trusted-ca-file", "ca.pem", "--client-cert-auth"]
        with open(self.folder / f"etcd-{member}.txt", "a", encoding="utf-8") as log:
            self.processes[member] = subprocess.Popen(words, cwd=self.folder, stdout=log,
                                                      stderr=subprocess.STDOUT)

    def kill(self, member):
        self.processes[member].send_signal(signal.SIGKILL)
        self.processes[member].wait(10)
        self.processes[member] = None

    def ask(self, what, **say):
        """Any member's answer; None if there is none."""
        for member in range(3):
            if self.processes[member] is None:
                continue
            request = urllib.request.Request(f"{self.url(member)}/v3/{what}",
                                             json.dumps(say).encode())
            if self.token:
                request.add_header("Authorization", self.token)
            with contextlib.suppress(urllib.error.URLError, OSError):
                with urllib.request.urlopen(request, timeout=3, context=self.tls) as answer:
                    return json.load(answer)
        return None

    def leader(self):
        for member in range(3):
            if self.processes[member] is None:
                continue
            told = self.ask("maintenance/status")
            return [m for m in range(3) if self.member_id(m) == told["leader"]][0]
        return None

    def member_id(self, member):
        request = urllib.request.Request(f"{self.url(member)}/v3/maintenance/status", b"{}")
        with contextlib.suppress(urllib.error.URLError, OSError):
            with urllib.request.urlopen(request, timeout=3, context=self.tls) as answer:
                return json.load(answer)["header"]["member_id"]
        return None

    def keys(self):
        """Value by key, of all below /heddle/."""
        told = self.ask("kv/range", key=encoded("/heddle/"), range_end=encoded("/heddle0"))
        return {decoded(one["key"]): decoded(one.get("value", ""))
                for one in (told or {}).get("kvs", [])}

    def wait(self, true, what, seconds=20):
        until = time.monotonic() + seconds
        while not true():
            if time.monotonic() > until:
                raise TimeoutError(f"{what} did not happen")
            time.sleep(0.1)

    def end(self):
        for process in self.processes:
            if process is not None:
                process.kill()
                process.wait(10)
