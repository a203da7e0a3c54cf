#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Device files that root gave to a group, as udev does: rights.py --heddle HEDDLE"""

import os
import subprocess
import sys

from inside import run_inside

UMAD, ISSM = "/dev/infiniband/umad0", "/dev/infiniband/issm0"
TEXT = "/sys/class/infiniband/mlx5_0/node_guid"
GROUP, STRANGER = 4711, 65534
OPEN = "import os, sys; os.close(os.open(sys.argv[1], int(sys.argv[2])))"


def opens(path, flags, groups="4712"):
    """Whether somebody of these groups may open it."""
    words = ["setpriv", "--reuid", str(STRANGER), "--regid", str(STRANGER), "--groups", groups,
             "--bounding-set=-all", sys.executable, "-c", OPEN, path, str(flags)]
    done = subprocess.run(words, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0 or "PermissionError" in done.stderr, done.stderr
    return done.returncode == 0


def inside(_heddle, _folder):
    assert opens(UMAD, os.O_RDWR), "until somebody is named it is everybody's"
    for path in (UMAD, ISSM):
        os.chown(path, 0, GROUP)
        os.chmod(path, 0o660)
        found = os.stat(path)
        assert (found.st_uid, found.st_gid, found.st_mode & 0o7777) == (0, GROUP, 0o660), found
        assert not opens(path, os.O_RDWR)
        assert not opens(path, os.O_RDONLY)
        assert opens(path, os.O_RDWR, f"4712,{GROUP}")
        assert not opens(path, os.O_RDWR, ",".join(str(1000 + n) for n in range(100)))
        assert opens(path, os.O_RDWR, ",".join(str(GROUP + n) for n in range(-99, 1)))
    os.chmod(UMAD, 0o664)
    assert opens(UMAD, os.O_RDONLY) and not opens(UMAD, os.O_RDWR)
    os.chown(UMAD, STRANGER, 0)
    os.chmod(UMAD, 0o600)
    assert opens(UMAD, os.O_RDWR)
    try:
        os.chmod(TEXT, 0o600)
    except PermissionError:
        pass
    else:
        raise AssertionError("the class tree cannot be changed")


def without():
    return None if os.geteuid() == 0 else "only root can give files away"


if __name__ == "__main__":
    sys.exit(run_inside(__file__, __doc__.splitlines()[0], inside, 60, fabric="pair",
                        without=without))
