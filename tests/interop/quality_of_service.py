#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Debian's saquery asks Heddle and OpenSM (-Q -Y) for paths under the same qos-policy.conf, on the
device door; what they tell of level, limits and P_Key must be the same.

  quality_of_service.py --heddle build/gcc/heddle

docs/quality-of-service.md explains what is left out here. Then the policy is broken and mended
under the running Heddle, which keeps the last good one meanwhile."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "doors" / "device"))
from inside import SKIPPED, without_door  # noqa: E402

RULES = """
port-groups
  port-group
    name: Storage
    use: found by its name
    port-name: "host-0002 HCA-1/P1"
  end-port-group
  port-group
    name: Hosts
    node-type: CA
  end-port-group
end-port-groups
qos-setup
end-qos-setup
qos-levels
  qos-level
    name: DEFAULT
    sl: 1
  end-qos-level
  qos-level
    name: Slow
    sl: 2
    mtu-limit: 3
    rate-limit: 3
    packet-life: 12
  end-qos-level
  qos-level
    name: Stored
    sl: 3
  end-qos-level
end-qos-levels
qos-match-rules
  qos-match-rule
    qos-class: 7-9,11
    source: Hosts
    qos-level-name: Slow
  end-qos-match-rule
  qos-match-rule
    service-id: 0x10000-0x13FFF
    destination: Storage
    qos-level-name: Stored
  end-qos-match-rule
end-qos-match-rules
qos-ulps
  default : 4
  sdp, port-num 10000-20000 : 5
  sdp : 6
  rds : 7
  rds, port-num 25000 : 8
  iser : 9
  any, service-id 0x6234 : 10
  any, pkey 0x7fff : 11
end-qos-ulps
"""
PROTOCOLS = """
qos-ulps
  any, source-port-guid GUID : 12
  iser, port-num 900 : 5
  iser : 6
  any, service-id 0x6234-0x6240,0x7000 : 10
  default : 4
end-qos-ulps
"""
QUESTIONS = [
    "", "-Q 8", "-Q 10", "-Q 11 --sl 2", "-Q 11 --sl 3", "--sl 1", "--sl 5",
    "--service_id 0x10001", "--service_id 0x14000", "--service_id 0x18000",
    "--service_id 0x10648CA", "--service_id 0x10661a8", "--service_id 0x1060CBC",
    "--service_id 0x1060384", "--service_id 0x6234", "--service_id 0x6240",
    "--service_id 0x6241", "--service_id 0x7000", "--pkey 0xffff",
    # saquery takes the selector in the upper two bits: 0 more than, 1 less than, 2 exactly.
    "-Q 8 --mtu 0x83", "-Q 8 --mtu 0x84", "-Q 8 --mtu 0x03", "-Q 8 --mtu 0x44",
    "-Q 8 --rate 0x83", "-Q 8 --rate 0x87", "-Q 8 --rate 0x45", "-Q 8 --rate 0x02",
    "-Q 8 --pkt_lifetime 0x4d", "-Q 8 --pkt_lifetime 0x92",
]
# Where OpenSM answers otherwise, and what is right (docs/subnet-administration.md, Paths): a word
# of each path and its value; None: there is no path.
OURS = {
    ("protocols", "-Q 8 --rate 0x83"): ("rate", 0x83),
    ("protocols", "-Q 8 --rate 0x87"): ("rate", 0x87),
    ("protocols", "-Q 8 --pkt_lifetime 0x4d"): ("pkt_life", None),
    ("rules", "-Q 8 --pkt_lifetime 0x92"): ("pkt_life", 0x92),
}
WORDS = ("pkey", "sl", "mtu", "rate", "pkt_life", "dlid", "slid")

SCRIPT = r"""
set -u
cd "$1"
# On a busy machine OpenSM has not always an answer; an empty table is one.
path() {
  for tries in 1 2 3; do eval "timeout 30 saquery PR $1" && return; sleep 1; done
}
export GUID="0x$(tail -c 20 /sys/class/infiniband/mlx5_0/ports/1/gids/0 | tr -d ':\n')"
for policy in rules protocols; do
  sed "s/GUID/$GUID/" $policy.in > $policy.conf
  for who in heddle opensm; do
    cp $policy.conf policy.conf
    sh "start-$who" > "$who.$policy.log" 2>&1 &
    manager=$!
    for tries in $(seq 300); do saquery CPI > up.log 2>&1 && break; sleep 0.1; done
    own=$(printf %d "$(cat /sys/class/infiniband/mlx5_0/ports/1/lid)")
    other=$(saquery -l 'host-0002 HCA-1' | tail -1)
    while read -r file question; do
      path "--slid $own --dlid $other $question" > "$who.$policy.$file" 2>&1
      path "--slid $other --dlid $own $question" >> "$who.$policy.$file" 2>&1
    done < questions
    if [ "$who.$policy" = heddle.rules ]; then
      ask() { sleep 2; saquery PR --slid $own --dlid $other > "heddle.$1" 2>&1; }
      echo 'qos-levels' > policy.conf; kill -HUP $manager; ask broken
      printf 'qos-ulps\ndefault : 14\nend-qos-ulps\n' > policy.conf; kill -HUP $manager; ask mended
    fi
    kill $manager; wait $manager
  done
done
exit 0
"""


def answers(text):
    """What is compared of each path."""
    found = []
    for line in text.splitlines():
        word = re.match(r"\s*(\w+?)\.*\s*(0x[0-9A-Fa-f]+|\d+)$", line)
        if word and word[1] in WORDS:
            found.append((word[1], int(word[2], 0)))
    return sorted(found)


def ask(heddle, folder):
    Path(folder, "rules.in").write_text(RULES)
    Path(folder, "protocols.in").write_text(PROTOCOLS)
    Path(folder, "questions").write_text(
        "".join(f"q{i} {question}\n" for i, question in enumerate(QUESTIONS)))
    Path(folder, "start-heddle").write_text(
        f"exec '{heddle}' sm --port mlx5_0:1 --lid-memory lids --qos-policy policy.conf\n")
    Path(folder, "start-opensm").write_text(
        'exec opensm -g "$GUID" -f opensm.out -Q -Y policy.conf\n')
    environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "OSM_TMP_DIR": folder,
                   "OSM_CACHE_DIR": folder}
    run = subprocess.run([heddle, "sim", "run", "ring:5", "--", "sh", "-c", SCRIPT, "sh", folder],
                         capture_output=True, text=True, timeout=240, env=environment, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"exit {run.returncode}: {run.stderr[-2000:]}")


def level(text):
    return dict(answers(text)).get("sl")


def differences(folder):
    """Yields a sentence for each."""
    read = lambda name: Path(folder, name).read_text()  # noqa: E731
    levels = set()
    for policy in ("rules", "protocols"):
        for i, question in enumerate(QUESTIONS):
            told = {who: answers(read(f"{who}.{policy}.q{i}")) for who in ("heddle", "opensm")}
            levels |= {value for word, value in told["heddle"] if word == "sl"}
            if (policy, question) in OURS:
                word, value = OURS[policy, question]
                if dict(told["heddle"]).get(word) != value:
                    yield f"{policy}: '{question}': {told['heddle']}, not {word} {value}"
            elif told["heddle"] != told["opensm"]:
                yield f"{policy}: '{question}': {told['heddle']}, OpenSM {told['opensm']}"
    if not {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12} <= levels:
        yield f"not every rule was met: {sorted(levels)}"
    log = read("heddle.rules.log")
    if level(read("heddle.broken")) != 1 or "policy.conf:1:1:" not in log:
        yield f"a broken policy: level {level(read('heddle.broken'))}, log:\n{log[-1500:]}"
    if level(read("heddle.mended")) != 14:
        yield f"a mended policy: level {level(read('heddle.mended'))}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", required=True)
    options = parser.parse_args()
    if reason := without_door():
        print(f"skipped: {reason}")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="heddle-qos-") as folder:
        ask(str(Path(options.heddle).resolve()), folder)
        found = list(differences(folder))
    for difference in found:
        print(difference)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
