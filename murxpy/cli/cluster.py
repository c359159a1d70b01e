"""`murxpy cluster`: files with which to start the nodes of a cluster."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from murxpy.cli.options import count_option
from murxpy.cli.params import Text
from murxpy.cli.report.console import say, write_now
from murxpy.cluster.service import BLOCKS, LARGEST
from murxpy.errors import InputError
from murxpy.findings.folder import write_atomically

PORT = 8786
_LAG = 1024  # for each process: two blocks of ten seconds with fifty runs a second
# A node ends with its scheduler and whenever Dask ends it, so it is started again.
_NODE = "while :; do dask worker {address} --nthreads 1 --no-dashboard{more}; sleep 10; done"

_SLURM = """\
#!/bin/bash
# Nodes for murxpy: one Dask worker a machine. On {head}:   dask scheduler --port {port}
# Then here:   sbatch {file}
# And on {head}:   murxpy fuzz SOLVER --cluster tcp://{head}:{port} --jobs {jobs}{lag}
#SBATCH --job-name=murxpy
#SBATCH --nodes={nodes}
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task={jobs}
#SBATCH --time=24:00:00
#SBATCH --requeue
srun --kill-on-bad-exit=0 bash -c '{node}'
"""

_SSH = """\
#!/bin/bash
# Nodes for murxpy: one Dask worker on each host of hosts.txt. On {head}:   dask scheduler --port {port}
# Then:   bash {file}
# And on {head}:   murxpy fuzz SOLVER --cluster tcp://{head}:{port} --jobs {jobs}{lag}
# They end with:   while read -r host; do ssh -n "$host" pkill -u '$USER' -f 'dask[ ]worker'; done < hosts.txt
while read -r host; do
  ssh -n -o BatchMode=yes -- "$host" {command} &
done < hosts.txt
wait
"""

_KUBERNETES = """\
# A scheduler and nodes for murxpy. IMAGE has the extra 'cluster' of murxpy and the solvers:
#   FROM python:3.12
#   RUN pip install 'murxpy[cluster]'
# Then:   kubectl apply -f {file}
# And in the same network:   murxpy fuzz SOLVER --cluster tcp://{head}:{port} --jobs {jobs}{lag}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {head}
spec:
  replicas: 1
  selector:
    matchLabels: {{app: {head}}}
  template:
    metadata:
      labels: {{app: {head}}}
    spec:
      containers:
        - name: scheduler
          image: IMAGE
          command: [dask, scheduler, --port, "{port}", --no-dashboard]
---
apiVersion: v1
kind: Service
metadata:
  name: {head}
spec:
  selector: {{app: {head}}}
  ports:
    - port: {port}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {head}-nodes
spec:
  replicas: {nodes}
  selector:
    matchLabels: {{app: {head}-nodes}}
  template:
    metadata:
      labels: {{app: {head}-nodes}}
    spec:
      containers:
        - name: node
          image: IMAGE
          command: [dask, worker, "{address}", --nthreads, "1", --no-dashboard]
          resources:
            requests:
              cpu: "{jobs}"
"""
_KINDS = {"slurm": (_SLURM, "sbatch"), "kubernetes": (_KUBERNETES, "yaml"), "ssh": (_SSH, "sh")}


@click.command()
@click.argument("kind", type=click.Choice(list(_KINDS)))
@count_option("--nodes", "Number of machines.", 16, 100_000)
@count_option("--jobs", "Number of processes on each machine that make runs.", 8, 1024)
@click.option(
    "--head",
    type=Text(),
    default="head",
    show_default=True,
    metavar="NAME",
    help="Name of the machine or service of the scheduler.",
)
@click.option("--print", "printed", is_flag=True, help="Print the file instead of writing it.")
def cluster(kind: str, nodes: int, jobs: int, head: str, printed: bool) -> None:
    """Write a file with which to start the nodes of a cluster: murxpy-nodes.sbatch, murxpy-nodes.yaml or
    murxpy-nodes.sh in this folder. Its first lines say what else there is to do.

    \b
      murxpy cluster slurm --nodes 16 --jobs 32
      murxpy cluster kubernetes --print
    """
    text, file = job_file(kind, nodes, jobs, head)
    if printed:
        write_now(text)
        return
    if Path(file).exists():
        raise InputError("it is there already: give --print, or remove it", file=file)
    write_atomically(Path(file), text)
    say(f"written: {file}")


def job_file(kind: str, nodes: int, jobs: int, head: str) -> tuple[str, str]:
    """The text of a file that starts so many nodes with so many processes each, and the name of the file.
    Raises InputError for a name of the scheduler that a shell could take for something else.
    """
    if not head.replace("-", "").replace(".", "").isalnum() or not head.isascii():
        raise InputError(f"--head: '{head[:80]}' is no name of a machine")
    template, suffix = _KINDS[kind]
    file, address = f"murxpy-nodes.{suffix}", f"tcp://{head}:{PORT}"
    more = ' --local-directory "${TMPDIR:-/tmp}"' if kind == "slurm" else ""
    node = _NODE.format(address=address, more=more)
    lag = min(_LAG * jobs, BLOCKS * LARGEST) * nodes
    text = template.format(
        file=file,
        address=address,
        head=head,
        port=PORT,
        nodes=nodes,
        jobs=jobs,
        node=node,
        command=shlex.quote(node),
        lag=f" --lag {lag}",
    )
    return text, file
