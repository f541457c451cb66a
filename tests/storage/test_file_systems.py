"""What a store asks of a file system holds of every one: the local disk, S3 and HDFS."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from reasoner.store.file_system import Address, StorageError, StoreError, address_of, file_system, place_of
from tests.storage.conftest import SYSTEMS


@pytest.fixture(params=["local", *SYSTEMS])
def folder(request, tmp_path):
    return place_of(tmp_path if request.param == "local" else f"{request.getfixturevalue(request.param)}/{tmp_path}")


def test_what_is_written_is_read_whole_and_in_ranges(folder):
    files, path, data = file_system(folder), folder / "a b" / "c%20d.bin", os.urandom(9 << 20)
    files.write_new(path, data)
    files.sync([path])

    assert files.read(path).to_pybytes() == data
    assert files.size(path) == len(data)
    with files.open(path) as file:
        assert file.size() == len(data)
        assert file.read_at(1000, 5 << 20) == data[5 << 20 :][:1000]
        file.seek(7)
        assert file.read(3) == data[7:10]


def test_a_file_without_bytes_is_a_file(folder):
    files = file_system(folder)
    files.write_new(folder / "empty", b"")

    assert files.size(folder / "empty") == 0
    assert files.read(folder / "empty").to_pybytes() == b""


def test_what_is_not_there_is_missing_and_can_be_deleted(folder):
    files = file_system(folder)
    files.make_folder(folder)

    assert files.size(folder / "none") is None and files.size(folder) is None
    assert files.files(folder / "none") == {}
    files.delete(folder / "none")
    files.delete_folder(folder / "none")
    with pytest.raises(FileNotFoundError):
        files.read(folder / "none")


def test_files_are_listed_at_any_depth_with_their_sizes_and_only_those_of_the_folder(folder):
    files = file_system(folder)
    for name, size in (("x/a", 1), ("x/b/c", 2), ("x/.hidden", 3), ("xy", 4)):
        files.write_new(folder / name, b"." * size)

    assert files.files(folder / "x") == {"a": 1, "b/c": 2, ".hidden": 3}
    files.delete(folder / "x/a")
    files.move(folder / "x/b/c", folder / "z")
    assert files.files(folder) == {"x/.hidden": 3, "xy": 4, "z": 2}
    files.delete_folder(folder / "x")
    assert files.files(folder) == {"xy": 4, "z": 2}


def test_a_file_is_replaced_whether_or_not_there_is_one(folder):
    files, path = file_system(folder), folder / "CURRENT"
    files.make_folder(folder)
    for data in (b"one", b"another one"):
        files.replace(path, data)
        assert files.read(path).to_pybytes() == data
    assert files.files(folder) == {"CURRENT": 11}


def test_of_many_who_create_a_file_one_does(folder):
    files = file_system(folder)
    files.make_folder(folder)
    with ThreadPoolExecutor(6) as pool:
        for turn in range(8):
            path, start = folder / f"{turn:08d}.json", Barrier(6)

            def create(number, path=path, start=start):
                start.wait()
                return files.create(path, f"of {number}".encode())

            won = list(pool.map(create, range(6)))
            assert won.count(True) == 1
            assert files.read(path).to_pybytes() == f"of {won.index(True)}".encode()
            assert not files.create(path, b"too late")
    assert sorted(files.files(folder)) == [f"{turn:08d}.json" for turn in range(8)]


def test_addresses_are_joined_and_shown_like_paths():
    assert address_of("S3A://bucket//a/./b/") == Address("s3", "bucket", "a/b")
    assert str(place_of("hdfs://host:9000/a%20b") / "c") == "hdfs://host:9000/a%20b/c"
    assert address_of("data/a:b") is None and address_of("http://host/x") is None
    for url in ("s3:///x", "hdfs:///x"):
        with pytest.raises(StoreError, match="names no"):
            address_of(url)
    with pytest.raises(StoreError, match=r"\.\. in it"):
        address_of("s3://bucket/a/../b")


def test_a_bucket_that_is_not_there_is_named_with_the_remedy(s3):
    place = place_of("s3://no-such-bucket/x")
    for use in (lambda files: files.files(place), lambda files: files.create(place, b"")):
        with pytest.raises(StorageError, match=r"s3://no-such-bucket/x.*see that AWS_ENDPOINT_URL"):
            use(file_system(place))


def test_a_server_that_is_not_there_is_named_with_the_remedy(monkeypatch):
    from reasoner.store.object_storage import ObjectStorage

    for name, value in (("ENDPOINT_URL", "http://127.0.0.1:1"), ("ACCESS_KEY_ID", "a"), ("SECRET_ACCESS_KEY", "b")):
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises(StorageError, match=r"s3://bucket/x: .*127\.0\.0\.1:1.*see that AWS_ENDPOINT_URL"):
        ObjectStorage().read(place_of("s3://bucket/x"))
