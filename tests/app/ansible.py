#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Ansible role: its playbook is understood, and the configuration that its template makes is
one that heddle accepts: ansible.py --heddle build/heddle"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROLE = Path(__file__).resolve().parents[2] / "packaging" / "ansible"
SKIPPED = 77
PLAY = [{"hosts": "localhost", "gather_facts": False, "roles": [{"role": ROLE.name}]}]
VARIABLES = {
    "heddle_ports": ["mlx5_0:1"],
    "heddle_config": {
        "sm": {"priority": 10, "sm_key": "0x8f3a11c27d900e45", "sticky_master": True},
        "routing": {"engines": ["ftree", "updn"]},
        "sweep": {"interval": "5s"},
        "security": {"profile": "standard"},
    },
}
RENDER = [{"hosts": "localhost", "gather_facts": False, "tasks": [
    {"ansible.builtin.template": {"src": str(ROLE / "templates" / "heddle.toml.j2"),
                                  "dest": "{{ playbook_dir }}/heddle.toml", "mode": "0600"}}]}]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", required=True)
    heddle = os.path.abspath(parser.parse_args().heddle)
    if shutil.which("ansible-playbook") is None:
        print("skipped: there is no ansible-playbook (scripts/install-deps --test)")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="heddle-ansible-") as folder:
        environment = {**os.environ, "ANSIBLE_ROLES_PATH": str(ROLE.parent), "HOME": folder,
                       "ANSIBLE_LOCALHOST_WARNING": "False", "LC_ALL": "C.UTF-8"}

        def run(*words, code=0):
            done = subprocess.run(words, cwd=folder, env=environment, text=True, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
            assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}"

        # JSON is YAML too.
        for name, play in (("play.yml", PLAY), ("render.yml", RENDER)):
            Path(folder, name).write_text(json.dumps(play), encoding="utf-8")
        Path(folder, "variables.json").write_text(json.dumps(VARIABLES), encoding="utf-8")
        run("ansible-playbook", "-i", "localhost,", "--syntax-check", "play.yml")
        run("ansible-playbook", "-i", "localhost,", "-c", "local", "-e", "@variables.json",
            "render.yml")
        run(heddle, "config", "check", "heddle.toml")
        text = Path(folder, "heddle.toml").read_text(encoding="utf-8")
        assert 'engines = ["ftree", "updn"]' in text and "sticky_master = true" in text, text
        # What the role would not put in place.
        Path(folder, "heddle.toml").write_text(text.replace("ftree", "ftrie"), encoding="utf-8")
        run(heddle, "config", "check", "heddle.toml", code=3)
    return 0


if __name__ == "__main__":
    sys.exit(main())
