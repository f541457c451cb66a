"""Stores, loads and writes on real servers of S3 and HDFS, which ``make storage-servers`` puts into a cache."""
