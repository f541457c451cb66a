"""What surrounds the work of Spark: its Java, its sessions, its scratch folders and its failures.

Read in this order: ``jars`` (the Java libraries beyond Spark's own), ``session`` (the session that everything works
in, and its Java), ``python_tasks`` (functions of batches in the Python processes of executors), ``shared_folder``
(folders that driver and executors have to see alike), ``scratch`` (files of work in progress), ``traffic`` (jobs and
rows at the driver, counted), ``failures`` (what it means when Spark fails).
"""
