# SPDX-License-Identifier: BSD-3-Clause
"""The steps of bench/compare. Each yields rows: a name, OpenSM's figure, Heddle's. A figure is a
number, ">300" where the patience was at its end, or "-" where there is none."""

import argparse
import json
import re
import signal
import statistics
import time
from datetime import datetime
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

from lab import Lab
from measuring import median, run
from torus_file import torus_file

MANAGERS = "opensm", "heddle"
TORUS = "torus-2QoS"
ENGINES = "minhop", "updn", "dnup", "ftree", "dor", "lash", "sssp", "dfsssp", "nue", TORUS
WITH_LEVELS = "lash", "dfsssp", "nue", TORUS
NONE = "-"
VLS = "8"  # what the devices of ibsim have, and OpenSM takes
SHARE = 5  # per cent of a core for each manager that answers queries
TIME_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}


def part(name):
    """One of the measurements beside this file, which are programs of their own."""
    loader = SourceFileLoader(name, str(Path(__file__).resolve().parent / name))
    module = module_from_spec(spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


BRING_UP, REPAIR = part("compare_bringup"), part("compare_repair")
ADMINISTRATION = part("administration")


@dataclass
class Stage:
    fabric: str      # as heddle sim takes it
    net_path: Path   # the same for ibsim
    net: object
    options: argparse.Namespace
    expression: str = ""  # what the fabric was before anything was lost

    @property
    def late(self):
        return f">{self.options.patience}"


def once(manager, stage, more=(), verbosity="0x3", flushed=False):
    """One bring-up: its Run, with the log, and whether the patience ended it; a log that shall be
    whole then must be flushed line by line, which costs time."""
    with Lab(stage.net_path, stage.net) as lab:
        command = BRING_UP.commands(stage.options.heddle, lab.folder)[manager]
        command = [verbosity if word == "0x3" else word for word in command]
        if flushed:
            config = lab.folder / "flush.conf"
            config.write_text("force_log_flush TRUE\n")
            command += ["-F", config]
        before = BRING_UP.cpu_seconds(lab.server.pid)
        result = run(["timeout", "-k", "5", stage.options.patience, *command, *more],
                     lab.environment(), lab.folder)
        result.server_cpu = BRING_UP.cpu_seconds(lab.server.pid) - before
        log = lab.folder / "osm.log"
        result.log = log.read_text(errors="replace") if log.exists() else ""
        dump = lab.folder / "opensm-lfts.dump"
        result.tables = dump.read_bytes() if dump.exists() else b""
        result.late = result.code in (124, 137)
        return result


def bring_up(stage):
    runs = {manager: [] for manager in MANAGERS}
    late = set()
    for _ in range(stage.options.rounds):
        for manager in MANAGERS:
            if manager not in late:  # once is enough
                runs[manager].append(once(manager, stage))
                late |= {manager} if runs[manager][-1].late else set()
    for field in ("seconds", "cpu", "megabytes", "server_cpu"):
        bound = stage.late if field == "seconds" else NONE
        yield (f"bring-up: {field.replace('server_cpu', 'cpu of ibsim')}",
               *(bound if manager in late else median(runs[manager], field)
                 for manager in MANAGERS))
    log = "" if "opensm" in late else once("opensm", stage, verbosity="0x7").log
    yield from phases(log, runs["heddle"][-1].output)


def moment(log, sentence):
    """When OpenSM first wrote it, in seconds; a sentence may stand a line below its time."""
    found = re.search(r"^(\w+ \d+ [\d:]+ \d{6}) (?:(?!^\w{3} \d).)*?" + sentence, log,
                      re.MULTILINE | re.DOTALL)
    return datetime.strptime(found[1], "%b %d %H:%M:%S %f").timestamp() if found else None


def between(log, first, last):
    begin, end = moment(log, first), moment(log, last)
    return NONE if begin is None or end is None else max(end - begin, 0.0)


OPENSM_PHASES = (("discovery", "INITIATING HEAVY SWEEP", "HEAVY SWEEP COMPLETE"),
                 ("LIDs", "HEAVY SWEEP COMPLETE", "building routing with"),
                 ("routing", "building routing with", "tables configured on all switches"),
                 ("tables and links", "tables configured on all switches", "SUBNET UP"))


def phases(log, output):
    found = dict(re.findall(r"(discovery|LIDs|routing|tables|links) ([\d.]+ \w+)", output))
    ours = {name: float(text.split()[0]) * TIME_UNITS.get(text.split()[1], 1.0)
            for name, text in found.items()}
    if "tables" in ours:
        ours["tables and links"] = ours["tables"] + ours.get("links", 0.0)
    for name, first, last in OPENSM_PHASES:
        yield f"phase {name}: seconds", between(log, first, last), ours.get(name, NONE)


def in_process(stage):
    runs = []
    for _ in range(stage.options.rounds):
        runs.append(run([stage.options.heddle, "sm", "--sim", stage.fabric, "--once",
                         "--lid-memory", ""], folder=stage.net_path.parent))
    for field in ("seconds", "cpu", "megabytes"):
        yield f"in process: {field}", NONE, median(runs, field)


def engines_for(stage):
    """Each engine, and what OpenSM and Heddle are told besides; torus-2QoS only on a torus, both
    with the same file."""
    for engine in stage.options.engines.split(","):
        if engine != TORUS:
            yield engine, [], []
        elif text := torus_file(stage.expression, stage.net_path.read_text(), stage.net):
            path = stage.net_path.with_name("torus.conf")
            path.write_text(text)
            yield engine, ["-Q", "--torus_config", path], ["--torus-config", path]


def routed(stage, engine, told):
    """OpenSM's seconds, or how long it had been at it when the patience was at its end."""
    result = once("opensm", stage, ["-R", engine, *told], verbosity="0x7", flushed=True)
    begun = f"building routing with '{engine}'"
    if not result.late:
        # It takes another engine if the one that was asked for fails.
        return between(result.log, begun, f"{engine} tables configured")
    before = between(result.log, "INITIATING HEAVY SWEEP", begun)
    return NONE if before == NONE else f">{stage.options.patience - before:.0f}"


# Ours take so little that one run tells of the machine's other work, too, and the first ones after
# OpenSM of memory that the system has to give anew.
OUR_LEAST = 9


def planned(stage, engine, told):
    """Seconds of our tables, and of their proof, in a process of their own; None if there are
    none."""
    done = run(["timeout", stage.options.patience, stage.options.heddle, "plan", "route",
                stage.fabric, "--routing", engine, "--vls", VLS, *told],
               folder=stage.net_path.parent)
    # Whether the proof finds a credit loop or none: OpenSM does not ask.
    line = re.search(rf"^{engine} +(?:yes|no) +(\d[\d.e-]*) +(\d[\d.e-]*)", done.output,
                     re.MULTILINE)
    return (float(line[1]), float(line[2])) if line else None


def engines(stage):
    for engine, to_opensm, to_heddle in engines_for(stage):
        theirs = []
        while len(theirs) < stage.options.rounds and not any(isinstance(t, str) for t in theirs):
            theirs.append(routed(stage, engine, to_opensm))
        ours = [seconds for _ in range(max(stage.options.rounds, OUR_LEAST))
                if (seconds := planned(stage, engine, to_heddle)) is not None]
        took = theirs[-1] if isinstance(theirs[-1], str) else statistics.median(theirs)
        yield (f"{engine}: seconds", took,
               statistics.median(map(sum, ours)) if ours else NONE)
        yield (f"{engine}: seconds without proof", took,
               statistics.median(tables for tables, _ in ours) if ours else NONE)


QUALITIES = {"max load": "max_load", "mean hops": "mean_hops", "worst shift": "shift_worst",
             "EBB": "ebb"}


def judged(stage, engine, told, theirs):
    """What `heddle plan` says of OpenSM's tables and of ours: by engine, "file" being the former.
    Nothing of those that are not there, or do not lead from every host to every other."""
    dump, net = stage.net_path.with_name("lfts.dump"), stage.net_path.with_name("plain.net")
    dump.write_bytes(theirs)
    # The fabric of ibsim's devices: it numbers ports' GUIDs itself, and all cables are alike.
    net.write_text(re.sub(r"[ \t]+#.*|(?<=\])\([0-9a-fA-F]+\)", "", stage.net_path.read_text()))
    done = run(["timeout", stage.options.patience, stage.options.heddle, "plan", "route",
                net, "--routing", engine, "--vls", VLS, "--no-fallback", "--metrics",
                "-o", "json", *told, *(["--tables", dump] if theirs else [])],
               folder=net.parent)
    told = done.output[done.output.find("{"):done.output.rfind("}") + 1]
    return {one["engine"]: one for one in (json.loads(told)["engines"] if told else [])
            if "max_load" in one and one["lost_routes"] == 0}


def proven(found, whose, engine):
    """Whether it reaches everything and is free of credit loops. Of OpenSM's engines that take
    service levels for it only the tables are known here."""
    if whose not in found or (whose == "file" and engine in WITH_LEVELS):
        return NONE
    return "yes" if found[whose]["certified"] else "no"


def quality(stage):
    for engine, to_opensm, to_heddle in engines_for(stage):
        # 0x40: it dumps its tables; another engine's if the one that was asked for fails.
        result = once("opensm", stage, ["-R", engine, *to_opensm], verbosity="0x43", flushed=True)
        done = f"{engine} tables configured" in result.log
        found = judged(stage, engine, to_heddle, result.tables if done else b"")
        for title, key in QUALITIES.items():
            yield (f"{engine}: {title}",
                   *(found[whose][key] if whose in found else NONE for whose in ("file", engine)))
        yield (f"{engine}: proven", *(proven(found, whose, engine) for whose in ("file", engine)))


def rounds_of(stage, manager, one):
    """The results of all rounds; none after the patience."""
    results = []
    try:
        for _ in range(stage.options.rounds):
            results.append(one(manager))
    except REPAIR.Impatient:
        return []
    return results


def repair(stage):
    if sum(kind == "switch" for kind in stage.net.kinds.values()) < 3:
        return
    kinds = {"opensm": REPAIR.OpenSM, "heddle": REPAIR.Heddle}
    plain = argparse.Namespace(heddle=stage.options.heddle, verify=False)
    runs = {manager: rounds_of(stage, manager, lambda each: REPAIR.one_round(
        kinds[each], stage.net_path, stage.net, plain, stage.options.patience))
        for manager in MANAGERS}
    for what, title in (("first", "first bring-up"), ("cut", "a link is cut"),
                        ("back", "a link is back")):
        for index, unit in enumerate(("seconds", "requests")):
            late = stage.late if unit == "seconds" else NONE
            yield (f"{title}: {unit}",
                   *(statistics.median(one[what][index] for one in runs[manager])
                     if runs[manager] else late for manager in MANAGERS))


def take_over(stage):
    found = {}
    for manager in MANAGERS:
        took = rounds_of(stage, manager, lambda each: one_takeover(each, stage))
        found[manager] = statistics.median(took) if took else stage.late
    yield "takeover: seconds", found["opensm"], found["heddle"]


def standby_config(manager, folder, heddle):
    if manager == "opensm":
        path = folder / "standby.conf"
        path.write_text("sminfo_polling_timeout 1000\npolling_retry_number 3\n"
                        "force_log_flush TRUE\n")
        return lambda priority, log: ["opensm", "-F", path, "-p", priority, "-D", "0x3", "-f", log]
    path = folder / "standby.toml"
    path.write_text('[sm]\npoll_interval = "1s"\npoll_misses = 3\n')
    return lambda priority, log: [heddle, "sm", "--config", path, "--port", "ibsim0:1",
                                  "--priority", priority, "--log-format", "json",
                                  "--lid-memory", log.with_suffix(".lids")]


def times_up(logs):
    return sum(path.read_text(errors="replace").count(word)
               for path, word in logs if path.exists())


def one_takeover(manager, stage):
    patience = stage.options.patience
    hosts = sorted(name for name, kind in stage.net.kinds.items() if kind == "ca")
    started, outputs = [], []
    with Lab(stage.net_path, stage.net) as lab:
        command = standby_config(manager, lab.folder, stage.options.heddle)
        for host, priority in ((hosts[0], 5), (hosts[-1], 3)):
            log = lab.folder / f"{manager}-{priority}.log"
            output = lab.folder / f"{manager}-{priority}.out"
            lab.host = host
            started.append(REPAIR.start(lab, output, command(priority, log)))
            outputs.append([(log, "SUBNET UP"), (output, '"SubnetUp"')])
            if priority == 5:
                REPAIR.wait(lambda: times_up(outputs[0]) > 0, f"{manager} to bring it up",
                            patience, lab=lab)
        time.sleep(5)
        began = time.monotonic()
        started[0].send_signal(signal.SIGKILL)
        REPAIR.wait(lambda: times_up(outputs[1]) > 0, f"{manager}'s standby to take over",
                    patience, pause=0.01, lab=lab)
        return time.monotonic() - began


def administration(stage):
    if not stage.options.load:
        return
    asked = argparse.Namespace(
        heddle=stage.options.heddle, load=stage.options.load, fabric=stage.fabric,
        patience=2 * stage.options.patience,  # to bring the fabric up, and to be asked
        count=stage.options.count, windows="1 8 64", loads="idle,sweeping,joins",
        door="ring", manager_share=SHARE, period=20000)
    found, every = {}, ADMINISTRATION.commands(stage.options.heddle)
    for manager in MANAGERS:
        try:
            for (_, load), figures in ADMINISTRATION.measure(asked, {manager: every[manager]}):
                found.setdefault(load, {})[manager] = figures
        except TimeoutError:
            pass
    for load, pair in found.items():
        for figure in ("queries/s", "p50 us", "p99 us", "longest us"):
            yield (f"{load}: {figure}",
                   *(pair[manager][figure] if manager in pair else NONE for manager in MANAGERS))
