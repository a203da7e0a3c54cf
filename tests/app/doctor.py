#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `heddle doctor` says of configuration files and folders, to root and to an ordinary user.

  doctor.py --heddle build/heddle"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

NOBODY = 65534


def findings(heddle, settings, about, ordinary=False):
    """{health: what is said} about a word."""
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if ordinary else {}
    done = subprocess.run([heddle, "doctor", "--config", settings, "-o", "json"], timeout=60,
                          stdout=subprocess.PIPE, check=False, **user)
    return {one["health"]: one["what"] for one in json.loads(done.stdout)["findings"]
            if str(about) in one["what"]}


def keys(heddle, folder):
    """Whatever kind of key it holds, the file is not for everybody."""
    settings = folder / "keys.toml"
    for text in ('[sm]\nsm_key = "0x12"', '[sm]\nformer_m_keys = ["0x12"]',
                 '[congestion]\nkey = "0x12"', '[congestion]\nformer_keys = ["0x12"]'):
        settings.write_text(text + "\n")
        settings.chmod(0o644)
        said = findings(heddle, settings, settings)
        assert "holds keys" in said.get("wrong", ""), (text, said)
        settings.chmod(0o640)
        assert "is fine" in findings(heddle, settings, settings)["fine"]


def a_fresh_host(heddle, folder):
    """Folders that the subnet manager makes need not be there."""
    settings = folder / "fresh.toml"
    settings.write_text(f'[lids]\nmemory_file = "{folder}/not/yet/there/lids"\n')
    assert not findings(heddle, settings, "LIDs are not remembered")
    settings.write_text(f'[lids]\nmemory_file = "{settings}/below/lids"\n')
    assert "doubtful" in findings(heddle, settings, "LIDs are not remembered"), "below a file"


def an_ordinary_user(heddle, folder):
    """What one may not look at is not there, nor wrong, because of that."""
    settings = folder / "heddle.toml"
    settings.write_text("[sm]\npriority = 3\n")
    is_root = os.geteuid() == 0
    settings.chmod(0)
    said = findings(heddle, settings, settings, ordinary=is_root)
    assert list(said) == ["doubtful"] and "cannot be read by you" in said["doubtful"], said
    settings.chmod(0o644)
    closed = folder / "closed"
    closed.mkdir()
    settings = settings.rename(closed / "heddle.toml")
    closed.chmod(0)
    said = findings(heddle, settings, settings, ordinary=is_root)
    closed.chmod(0o700)
    assert list(said) == ["doubtful"] and "cannot be read by you" in said["doubtful"], said
    missing = findings(heddle, folder / "none.toml", "none.toml", ordinary=is_root)
    assert "no such file" in missing["wrong"], missing


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=Path, required=True)
    heddle = parser.parse_args().heddle.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        # Where an ordinary user may run it.
        heddle = Path(shutil.copy(heddle, folder / "heddle"))
        keys(heddle, folder)
        a_fresh_host(heddle, folder)
        an_ordinary_user(heddle, folder)


if __name__ == "__main__":
    main()
