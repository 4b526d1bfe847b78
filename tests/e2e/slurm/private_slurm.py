#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A Slurm of one's own: munged, slurmctld and two slurmd in a folder, on loopback with ports that are free, as the user who starts it. GPUs
are files that nobody opens.

Below a *warden* everything runs: the process that all others are descendants of, whatever they do to be none. It is this file as a program,
and ends them all when its input does, so that nothing is left however the test ends.
"""

import ctypes
import json
import os
import pathlib
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sinfo", "srun", "sbatch", "scontrol", "squeue")
NODES = ("n1", "n2")
GPUS = 2  # Of each node.
MARK = "EXH_TEST_NODE"  # In the environment of a node's slurmd, and so of its slurmstepd.
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36

CONF = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={root}/run/munge.sock
CredType=cred/munge
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool/%n
SlurmctldPidFile={root}/run/slurmctld.pid
SlurmdPidFile={root}/run/slurmd-%n.pid
SlurmctldLogFile={root}/log/slurmctld.log
SlurmdLogFile={root}/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
ReturnToService=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdTimeout=5
BatchStartTimeout=1
SlurmctldTimeout=10
KillWait=2
JobRequeue=1
SlurmdParameters=config_overrides
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=1
PartitionName=short Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
NODE = "NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=4 Gres=gpu:{gpus} State=UNKNOWN\n"


def find(program):
    """Its path; None: it is not there. Daemons lie where a plain user does not look."""
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def why_not():
    """Why there can be no Slurm here; empty: there can."""
    absent = [program for program in PROGRAMS if find(program) is None]
    if absent:
        return f"{', '.join(absent)} not found; the Debian packages slurmctld, slurmd, slurm-client and munge have them"
    try:  # As Slurm looks for whatever it talks to, though it is on loopback.
        socket.getaddrinfo("127.0.0.1", None, socket.AF_INET, flags=socket.AI_ADDRCONFIG)
    except socket.gaierror:
        return "this machine has no address but that of its loopback, without which Slurm finds nobody"
    return ""


def parents():
    """The parent of each process."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                found[int(entry)] = int(pathlib.Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:  # It has ended meanwhile.
                pass
    return found


def below(roots):
    """All descendants of processes."""
    children = {}
    for process, parent in parents().items():
        children.setdefault(parent, []).append(process)
    found, left = [], list(roots)
    while left:
        more = children.get(left.pop(), [])
        found += more
        left += more
    return found


def words_of(process):
    """The command line of a process; empty: it has ended, or has none."""
    try:
        return pathlib.Path("/proc", str(process), "cmdline").read_text(errors="replace").split("\0")[:-1]
    except OSError:
        return []


def environment_of(process):
    try:
        words = pathlib.Path("/proc", str(process), "environ").read_text(errors="replace").split("\0")
    except OSError:
        return {}
    return dict(word.split("=", 1) for word in words if "=" in word)


def kill(processes):
    for process in processes:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def free_ports(count):
    """Ports on which nobody listens, below those that the system gives away by itself."""
    found = set()
    while len(found) < count:
        port = random.SystemRandom().randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
                found.add(port)
            except OSError:
                pass
    return sorted(found)


class PrivateSlurm:
    """Runs from start() to stop(). The folder is an empty one."""

    def __init__(self, folder, variables=None):
        self.root = pathlib.Path(folder)
        # What a Slurm around us has said is not of this one.
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "SBATCH", "SRUN"))}
        self.environment = {**clean, **(variables or {}), "SLURM_CONF": str(self.root / "etc/slurm.conf")}
        self.warden = None
        self.daemons = {}  # Process ids.

    def start(self):
        for _ in range(3):  # Somebody may have taken a port that was free.
            shutil.rmtree(self.root, ignore_errors=True)
            self._configure(free_ports(1 + len(NODES)))
            self._start_all()
            if self._is_ready():
                return
            logs = self.logs()
            self.stop()
        raise AssertionError("Slurm did not start:\n" + logs)

    def _configure(self, ports):
        for name in ("etc", "run", "state", "log", "fake", *(f"spool/{node}" for node in NODES)):
            (self.root / name).mkdir(parents=True)
        host = socket.gethostname().split(".")[0]
        conf = CONF.format(host=host, ports=ports, root=self.root, user=self.run("id", "-un").strip())
        for node, port in zip(NODES, ports[1:]):
            conf += NODE.format(node=node, host=host, port=port, gpus=GPUS)
        (self.root / "etc/slurm.conf").write_text(conf)
        (self.root / "etc/gres.conf").write_text(f"NodeName={','.join(NODES)} Name=gpu File={self.root}/fake/gpu[0-{GPUS - 1}]\n")
        for gpu in range(GPUS):
            (self.root / f"fake/gpu{gpu}").symlink_to("/dev/null")  # A device, which a plain user cannot make.
        key = self.root / "run/munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)

    def _start_all(self):
        self.warden = subprocess.Popen([sys.executable, "-B", __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                       env=self.environment, start_new_session=True)
        run = self.root / "run"
        self._start_daemon("munged", "--foreground", "--force", f"--key-file={run}/munge.key", f"--socket={run}/munge.sock",
                           f"--pid-file={run}/munged.pid", f"--seed-file={run}/munged.seed", f"--log-file={self.root}/log/munged.log")
        for _ in range(200):
            if (run / "munge.sock").exists():
                break
            time.sleep(0.02)
        self.start_controller()
        for node in NODES:
            self.start_node(node)

    def _start_daemon(self, program, *arguments, node=None):
        # Called by another name than its own, slurmctld knows no GPUs and does not say so.
        request = {"program": find(program), "argv": [program, *arguments], "variables": {MARK: node} if node else {},
                   "log": str(self.root / f"log/{program}.txt")}
        self.warden.stdin.write(json.dumps(request) + "\n")
        self.warden.stdin.flush()
        self.daemons[node or program] = int(self.warden.stdout.readline())

    def start_controller(self):
        self._start_daemon("slurmctld", "-D", "-f", self.environment["SLURM_CONF"])

    def start_node(self, node):
        self._start_daemon("slurmd", "-D", "-N", node, "-f", self.environment["SLURM_CONF"], node=node)

    def kill_controller(self):
        kill([self.daemons.pop("slurmctld")])

    def kill_node(self, node):
        """All that runs there: slurmd, slurmstepd, jobs."""
        here = [process for process in self.processes()
                if (environment := environment_of(process)).get(MARK) == node or environment.get("SLURMD_NODENAME") == node]
        kill({*here, *below(here)})

    def processes(self):
        """All that this Slurm has started."""
        return below([self.warden.pid])

    def states(self):
        """The state of each node, such as idle."""
        told = self.run("sinfo", "--noheader", "--Node", "--format=%N %T", check=False).split()
        return dict(zip(told[::2], told[1::2]))

    def _is_ready(self):
        for _ in range(100):
            if self.states() == dict.fromkeys(NODES, "idle"):
                return True
            time.sleep(0.1)
        return False

    def run(self, *words, check=True, **more):
        done = subprocess.run(words, env=self.environment, text=True, capture_output=True, check=False, timeout=100, **more)
        if check and done.returncode != 0:
            raise AssertionError(f"{words}: {done.stdout}{done.stderr}{self.logs()}")
        return done.stdout

    def jobs(self):
        """(id, state, why) of each job and element that has not ended."""
        told = self.run("squeue", "--noheader", "--array", "--format=%i|%T|%r", check=False)
        return [tuple(line.split("|")) for line in told.splitlines()]

    def hurry(self):
        """What was queued again waits for two minutes; not here."""
        for job, state, why in self.jobs():
            if state == "PENDING" and why == "BeginTime":
                self.run("scontrol", "update", f"JobId={job}", "StartTime=now", check=False)

    def logs(self):
        """What the daemons said last."""
        return "".join(f"--- {path.name}\n{path.read_text(errors='replace')[-1500:]}" for path in sorted((self.root / "log").glob("*.log")))

    def stop(self):
        """Ends everything, also what has not begun."""
        if self.warden:
            self.warden.stdin.close()
            self.warden.stdout.close()
            self.warden.wait()
            self.warden = None


def start(request):
    """A process of the warden's, which dies with it in any case."""
    libc = ctypes.CDLL(None)
    with open(request["log"], "a", encoding="utf-8") as log:
        return subprocess.Popen(request["argv"], executable=request["program"], env={**os.environ, **request["variables"]},
                                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL))


def reap():
    """Takes notice of the descendants that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


def guard():
    """The warden: starts what its input asks for, and ends all of it with its input."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    started = []
    text = b""
    while True:
        reap()
        if not select.select([0], [], [], 0.2)[0]:
            continue
        more = os.read(0, 65536)
        if not more:
            break
        *lines, text = (text + more).split(b"\n")
        for line in lines:
            started.append(start(json.loads(line)))
            print(started[-1].pid, flush=True)
    while left := below([os.getpid()]):
        kill(left)
        reap()
        time.sleep(0.01)


if __name__ == "__main__":
    guard()
