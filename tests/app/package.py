#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Debian package: built, installed by dpkg, used, removed and purged, in a copy of this
machine's files that goes away afterwards (a file system laid over them in a private namespace).

  package.py --build-tree build/gcc"""

import argparse
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
from inside import without_door  # noqa: E402

SKIPPED = 77
NEW_MOUNTS = 0x20000
HELD = ("/usr/sbin/heddle", "/lib/systemd/system/heddle@.service", "/etc/heddle/heddle.toml",
        "/lib/udev/rules.d/91-heddle.rules", "/usr/lib/sysusers.d/heddle.conf",
        "/usr/share/man/man1/heddle-sm.1.gz", "/usr/share/bash-completion/completions/heddle",
        "/usr/share/zsh/vendor-completions/_heddle", "/usr/share/doc/heddle/copyright")
CONFIG = "/etc/heddle/heddle.toml"
ROLE = Path(__file__).resolve().parents[2] / "packaging" / "ansible"
AS_SERVICE_USER = Path(__file__).resolve().parent / "as_service_user.py"


def run(*command, code=0, **more):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=300, **more)
    assert done.returncode == code, f"{command}: {done.returncode}\n{done.stdout}"
    return done.stdout


def build(tree, folder):
    run("cpack", "-G", "DEB", "-B", folder, "--config", Path(tree, "CPackConfig.cmake"), cwd=tree)
    packages = list(Path(folder).glob("*.deb"))
    assert len(packages) == 1, packages
    return packages[0]


def commands_of(tree):
    told = run(Path(tree, "heddle"), "--help").split("Subcommands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in told.splitlines()]


def look_at(package, tree):
    """What a person sees before installing it."""
    listed = {line.split()[5].removeprefix(".").rstrip("/") or "/": line.split()
              for line in run("dpkg-deb", "--contents", package).splitlines()}
    for path in HELD:
        assert path in listed, f"{path} is not in the package"
    for command in commands_of(tree):
        page = f"/usr/share/man/man1/heddle-{command}.1.gz"
        assert page in listed, f"{command} has no page"
    strange = [path for path, line in listed.items() if line[1] != "root/root"]
    assert not strange, strange
    fields = run("dpkg-deb", "--field", package)
    for library in ("libibumad3", "libssl3", "libsystemd0", "libc6"):
        assert library in fields, fields
    assert "/build" not in run("dpkg-deb", "--contents", package)


def enter_copy(folder):
    """From here on what is written goes to a file system that nobody else sees."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(NEW_MOUNTS) != 0:
        return False
    run("mount", "--make-rprivate", "/")
    run("mount", "-t", "tmpfs", "none", folder)
    for name in ("upper", "work", "root"):
        os.mkdir(f"{folder}/{name}")
    overlay = ["mount", "-t", "overlay", "overlay", "-o",
               f"lowerdir=/,upperdir={folder}/upper,workdir={folder}/work", f"{folder}/root"]
    if subprocess.run(overlay, check=False, stderr=subprocess.DEVNULL).returncode != 0:
        return False
    for name in ("proc", "dev", "sys"):
        run("mount", "--rbind", f"/{name}", f"{folder}/root/{name}")
    os.chroot(f"{folder}/root")
    os.chdir("/")
    return True


def manage_as_service_user():
    """On device files, where this machine can make some."""
    if reason := without_door():
        print(f"the service user gets no device files: {reason}")
        return
    run("heddle", "sim", "run", "fat-tree:2,4", "--", sys.executable, AS_SERVICE_USER)


def use():
    assert run("heddle", "--version").startswith("heddle ")
    assert run("stat", "-c", "%U:%G %a", CONFIG).strip() == "root:heddle 640"
    run("heddle", "config", "check", CONFIG)
    run("setpriv", "--reuid", "heddle", "--regid", "heddle", "--clear-groups", "heddle", "sm",
        "--sim", "fat-tree:2,4", "--once", "--config", CONFIG, "--lid-memory", "")
    manage_as_service_user()
    said = run("systemd-analyze", "verify", "--man=no", "/lib/systemd/system/heddle@.service")
    assert said == "", said
    wanted = list(Path("/etc/systemd/system").glob("*.wants/heddle*"))
    assert not wanted, f"installing enables {wanted}"
    with open(CONFIG, "a", encoding="utf-8") as file:
        file.write("# somebody's own\n")


def play(variables, *words, code=0):
    """The Ansible role on this host; what it changed."""
    Path("/site.json").write_text(json.dumps([{
        "hosts": "localhost", "connection": "local", "gather_facts": False,
        "vars": {"ansible_python_interpreter": "/usr/bin/python3"},
        "roles": [{"role": str(ROLE), "heddle_package": "/heddle.deb", **variables}]}]))
    environment = {**os.environ, "HOME": "/", "DEBIAN_FRONTEND": "noninteractive"}
    said = run("ansible-playbook", *words, "/site.json", code=code, env=environment, cwd="/")
    return int(re.search(r"changed=(\d+)", said)[1])


def install_by_ansible():
    """From nothing, again without a change, and with a configuration that is refused."""
    variables = {"heddle_config": {"sm": {"priority": 10}, "partitions": {
                     "file": "/etc/heddle/partitions.conf"}},
                 "heddle_partitions": "Default=0x7fff, ipoib : ALL=full ;\n"}
    play(variables, "--check")
    assert not os.path.exists("/usr/sbin/heddle")
    assert play(variables) == 4
    run("heddle", "config", "check", CONFIG)
    assert play(variables) == 0
    variables["heddle_config"]["sm"]["priority"] = 99
    play(variables, code=2)
    assert "priority = 10" in Path(CONFIG).read_text(encoding="utf-8")
    run("dpkg", "--purge", "heddle")


def live_with(package, folder):
    """Installed, used, installed again, removed, purged; then by Ansible."""
    content = package.read_bytes()
    if not enter_copy(folder):
        print("skipped: this user may not lay file systems over others")
        return SKIPPED
    Path("/heddle.deb").write_bytes(content)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    run("dpkg", "--install", "/heddle.deb", env=environment)
    use()
    run("dpkg", "--install", "/heddle.deb", env=environment)  # again, as an upgrade
    assert "somebody's own" in Path(CONFIG).read_text(encoding="utf-8")
    run("dpkg", "--remove", "heddle", env=environment)
    left = [path for path in HELD if os.path.lexists(path)]
    assert left == [CONFIG], left
    run("dpkg", "--purge", "heddle", env=environment)
    assert not os.path.exists("/etc/heddle"), os.listdir("/etc/heddle")
    if shutil.which("ansible-playbook"):
        install_by_ansible()
    return 0


def leave_with(work):
    """A process in the copy cannot go back, and must not clean up what is its parent's."""
    code = 1
    try:
        code = work()
    except BaseException:  # pylint: disable=broad-except
        traceback.print_exc()
    sys.stdout.flush()
    os._exit(code)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-tree", required=True, type=Path)
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("skipped: only root can install packages")
        return SKIPPED
    for program in ("dpkg-shlibdeps", "file", "systemd-sysusers"):
        assert shutil.which(program), f"{program} is missing (scripts/install-deps --test)"
    with tempfile.TemporaryDirectory(prefix="heddle-package-") as folder:
        package = build(options.build_tree.resolve(), folder)
        look_at(package, options.build_tree)
        child = os.fork()
        if child == 0:
            leave_with(lambda: live_with(package, folder))
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
