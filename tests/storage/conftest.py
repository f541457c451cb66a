"""A new folder on each real file system that is here; tests on the others are skipped, by name."""

from __future__ import annotations

from uuid import uuid4

import pytest

from reasoner.store import file_system
from tests.storage import servers

SYSTEMS = ("s3", "hdfs")


@pytest.fixture(scope="session")
def s3():
    if not servers.minio().exists():
        pytest.skip("no MinIO: make storage-servers builds it")
    with servers.s3_server() as environment, pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        # A client that another test made asks another server.
        file_system._remote.cache_clear()
        yield f"s3://{servers.BUCKET}"
    file_system._remote.cache_clear()


@pytest.fixture(scope="session")
def hdfs():
    if not servers.minicluster().exists():
        pytest.skip("no HDFS: make storage-servers fetches it")
    with servers.hdfs_server() as url:
        yield url


@pytest.fixture(params=SYSTEMS)
def base(request):
    """Return the URL of a new folder."""
    return f"{request.getfixturevalue(request.param)}/{uuid4().hex}"
