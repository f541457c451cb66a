"""Real servers of S3 (MinIO) and HDFS (Hadoop's cluster in one process), on loopback only; built once, into a cache.

``python -m tests.storage.servers`` builds what is missing; it needs Go and Maven. Tests start what is there.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from reasoner.spark.platform.jars import cache_folder

HADOOP = "3.4.2"
MINIO = "github.com/minio/minio@latest"
USER, PASSWORD, BUCKET = "reasoner", "reasoner-secret", "stores"

_PROJECT = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>tests</groupId><artifactId>servers</artifactId><version>1</version>
<dependencies><dependency>
<groupId>org.apache.hadoop</groupId><artifactId>{artifact}</artifactId><version>{version}</version>
</dependency></dependencies></project>
"""


def place(name: str) -> Path:
    return cache_folder("storage-servers") / name


def minio() -> Path:
    return place("bin") / "minio"


def minicluster() -> Path:
    return place("hdfs") / f"hadoop-client-minicluster-{HADOOP}.jar"


def connector() -> Path:
    """Return the jar by which Spark reads and writes S3."""
    return place("s3a") / f"hadoop-aws-{HADOOP}.jar"


def build() -> None:
    """Build or fetch what is missing."""
    if not minio().exists():
        print(f"building {MINIO}, which takes some minutes")
        subprocess.run(["go", "install", MINIO], check=True, env={**os.environ, "GOBIN": str(place("bin"))})
    for jar, artifact in ((minicluster(), "hadoop-client-minicluster"), (connector(), "hadoop-aws")):
        if not jar.exists():
            print(f"fetching {artifact} {HADOOP}")
            with tempfile.TemporaryDirectory() as folder:
                Path(folder, "pom.xml").write_text(_PROJECT.format(artifact=artifact, version=HADOOP))
                fetched = Path(folder, "jars")
                goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={fetched}"]
                subprocess.run(["mvn", "--quiet", "--batch-mode", *goal], check=True, cwd=folder)
                shutil.copytree(fetched, jar.parent, dirs_exist_ok=True)
    print(f"the servers are in {place('')}")


@contextmanager
def s3_server() -> Iterator[dict[str, str]]:
    """Run MinIO with an empty bucket; yield the variables of the environment by which clients find it."""
    with tempfile.TemporaryDirectory(prefix="minio-") as folder:
        port = _free_port()
        server = subprocess.Popen(
            [minio(), "server", "--quiet", "--address", f"127.0.0.1:{port}", folder],
            env={
                **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
                "MINIO_ROOT_USER": USER,
                "MINIO_ROOT_PASSWORD": PASSWORD,
                "MINIO_UPDATE": "off",
                "MINIO_BROWSER": "off",
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            Path(folder, BUCKET).mkdir()
            _wait_for(f"http://127.0.0.1:{port}/minio/health/ready")
            yield {
                "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
                "AWS_ACCESS_KEY_ID": USER,
                "AWS_SECRET_ACCESS_KEY": PASSWORD,
                "AWS_REGION": "us-east-1",
                "AWS_EC2_METADATA_DISABLED": "true",
            }
        finally:
            server.kill()
            server.wait()


@contextmanager
def hdfs_server() -> Iterator[str]:
    """Run a name node and a data node in a Java process that ends with this one; yield their URL."""
    import pyspark
    from py4j.java_gateway import JavaGateway

    bridge = next((Path(pyspark.__file__).parent / "jars").glob("py4j-*.jar"))
    with (
        tempfile.TemporaryDirectory(prefix="hdfs-", ignore_cleanup_errors=True) as folder,
        Path(folder, "log").open("w") as log,
    ):
        java = JavaGateway.launch_gateway(
            jarpath=str(bridge),
            classpath=str(minicluster().parent / "*"),
            javaopts=["-Xmx512m"],
            die_on_exit=True,
            enable_auth=True,
            redirect_stdout=log,
            redirect_stderr=log,
        )
        settings = java.jvm.org.apache.hadoop.conf.Configuration()
        settings.set("hdfs.minidfs.basedir", folder)
        cluster = java.jvm.org.apache.hadoop.hdfs.MiniDFSCluster.Builder(settings).numDataNodes(1).build()
        cluster.waitActive()
        try:
            yield cluster.getURI().toString()
        finally:
            cluster.shutdown()
            java.shutdown()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            with urlopen(url, timeout=5) as answer:
                if answer.status == 200:
                    return
        except (URLError, OSError):
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(build())
